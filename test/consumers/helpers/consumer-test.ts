import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { inject, test } from 'vitest'
import { runProgram } from './run-program.ts'

export interface Project {
  readonly folder: string
  /** Runs a program of the project or of this machine to its end. @throws Error with all it printed, if it fails */
  run(program: string, ...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }>
}

export interface ProjectOptions {
  /** More for `npm install`: flags, or packages. Default: what the folder's package.json names, and the packed filehost. */
  readonly install?: readonly string[]
  /** A package to install instead of filehost. */
  readonly instead?: string
  readonly env?: Readonly<Record<string, string>>
}

/** What npm says if the registry cannot be reached, and its cache has not everything either. */
const unreachable = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|E50[234])\b/

/** npm's own retries take minutes without a registry. */
const impatient = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']

/**
 * A test with fresh projects: `project(name)` copies `test/consumers/projects/<name>`, installs what its package.json names
 * and the packed filehost as a user would, and removes it when the test ends. Without a registry the test is skipped,
 * and says so.
 */
export const consumerTest = test.extend<{ project: (name: string, options?: ProjectOptions) => Promise<Project> }>({
  async project({ skip, signal }, use) {
    const folders: string[] = []
    await use(async (name, { install = [], instead, env = {} } = {}) => {
      const folder = await mkdtemp(join(tmpdir(), `fh-consumer-${name}-`))
      folders.push(folder)
      await cp(resolve('test/consumers/projects', name), folder, { recursive: true })
      const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', ...impatient]
      const limits = { longestMs: 240_000, signal }
      const npm = await runProgram(
        folder,
        'npm',
        ['install', ...flags, instead ?? inject('tarball'), ...install],
        limits,
      )
      const [reason] = unreachable.exec(npm.stderr) ?? []
      if (reason !== undefined) skip(`The npm registry cannot be reached (${reason}): this test installs from it`)
      if (npm.code !== 0) throw new Error(`npm install fails in the project ${name}: ${npm.stderr}`)
      return {
        folder,
        async run(program, ...args) {
          const path = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
          const { code, ...printed } = await runProgram(folder, program, args, { env: { PATH: path, ...env }, signal })
          if (code === 0) return printed
          throw new Error(`${program} ${args.join(' ')} exits with ${code}.\n${printed.stdout}${printed.stderr}`)
        },
      }
    })
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
  },
})

/** Prints a figure or an outcome, with the test that it belongs to. */
export function print(text: string): void {
  process.stdout.write(`  ${text.trimEnd().replaceAll('\n', '\n  ')}\n`)
}
