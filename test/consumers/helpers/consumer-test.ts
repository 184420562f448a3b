import { type ChildProcessByStdio, type SpawnOptionsWithStdioTuple, spawn } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inject, test } from 'vitest'

interface Project {
  readonly folder: string
  /** Runs a program of the project or of this machine to its end. @throws Error with all it printed, if it fails */
  run(program: string, ...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }>
}

interface ProjectOptions {
  /** More for `npm install`: flags, or packages. Default: what the folder's package.json names, and the packed filehost. */
  readonly install?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** What npm says if the registry cannot be reached, and its cache has not everything either. */
const unreachable = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|E50[234])\b/

/** npm's own retries take minutes without a registry. */
const impatient = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', ...impatient]

/**
 * A test with fresh projects: `project(name)` copies `test/consumers/projects/<name>`, installs what its package.json names
 * and the packed filehost as a user would, and removes it when the test ends. Without a registry the test is skipped,
 * and says so.
 */
export const consumerTest = test.extend<{ project: (name: string, options?: ProjectOptions) => Promise<Project> }>({
  async project({ skip, signal }, use) {
    const folders: string[] = []
    await use(async (name, { install: more = [], env = {} } = {}) => {
      const folder = await mkdtemp(join(tmpdir(), `fh-consumer-${name}-`))
      folders.push(folder)
      await cp(resolve('test/consumers/projects', name), folder, { recursive: true })
      const path = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
      const start = (program: string, args: readonly string[], longestMs: number) =>
        ended(
          spawn(program, args, { ...apart, cwd: folder, env: { ...process.env, PATH: path, ...env } }),
          longestMs,
          signal,
        )
      const npm = await start('npm', [...install, inject('tarball'), ...more], 240_000)
      const [reason] = unreachable.exec(npm.stderr) ?? []
      if (reason !== undefined) skip(`The npm registry cannot be reached (${reason}): this test installs from it`)
      if (npm.code !== 0) throw new Error(`npm install fails in the project ${name}: ${npm.stderr}`)
      return {
        folder,
        async run(program, ...args) {
          const { code, ...printed } = await start(program, args, 120_000)
          if (code === 0) return printed
          throw new Error(`${program} ${args.join(' ')} exits with ${code}.\n${printed.stdout}${printed.stderr}`)
        },
      }
    })
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
  },
})

/** A program whose descendants can be killed with it. */
const apart: SpawnOptionsWithStdioTuple<'ignore', 'pipe', 'pipe'> = {
  stdio: ['ignore', 'pipe', 'pipe'],
  detached: true,
}

/** What a program printed. All its processes are killed after a while, or on an abort; its code is then null. */
async function ended(child: ChildProcessByStdio<null, Readable, Readable>, longestMs: number, signal: AbortSignal) {
  const bounds = AbortSignal.any([AbortSignal.timeout(longestMs), signal])
  bounds.addEventListener('abort', () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  })
  const closed = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}
