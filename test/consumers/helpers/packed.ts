import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of the packed package, as `npm publish` would send it. */
    readonly tarball: string
  }
}

/** Packs the built package once for all tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-packed-'))
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await promisify(execFile)('npm', args, { timeout: 60_000 })
  project.provide('tarball', join(folder, JSON.parse(stdout)[0].filename))
  return () => rm(folder, { recursive: true, force: true })
}
