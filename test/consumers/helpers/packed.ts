import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { runProgram } from './run-program.ts'

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
  const { code, stdout, stderr } = await runProgram(process.cwd(), 'npm', args, { longestMs: 60_000 })
  if (code !== 0) throw new Error(`The package cannot be packed: ${stderr}`)
  const [packed] = JSON.parse(stdout)
  project.provide('tarball', join(folder, packed.filename))
  return () => rm(folder, { recursive: true, force: true })
}
