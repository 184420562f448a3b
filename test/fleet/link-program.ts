import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const repository = join(import.meta.dirname, '../..')

export interface LinkProgram {
  /** Runs it until it ends by itself. @returns what it printed as JSON */
  run(env?: Readonly<Record<string, string>>): Promise<unknown>
  /** Installs the client of Redis beside it. */
  installClient(): Promise<void>
}

/**
 * A program with a link to Redis, where a project has this package installed.
 *
 * @param folder the project
 * @param body has `open(url, options)`, and prints its result with `tell(result)`
 */
export async function linkProgram(folder: string, body: string): Promise<LinkProgram> {
  const outfile = join(folder, 'node_modules/filehost/dist/link.mjs')
  const contents = `
    import { RedisConnection } from './src/store/redis/connection.ts'
    import { systemClock } from './src/clock.ts'
    const open = (url, options) => new RedisConnection({ url, keys: [], clock: systemClock, ...options })
    const tell = (result) => console.log(JSON.stringify(result))
    const problemOf = (call) => call.catch(({ failure: kind, message, hint }) => ({ kind, message, hint }))
    ${body}`
  const stdin = { contents, resolveDir: repository, loader: 'ts' } as const
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', external: ['@redis/client'] })
  return {
    async run(env = {}) {
      const options = { env: { PATH: process.env['PATH'], ...env }, timeout: 20_000 }
      return JSON.parse((await promisify(execFile)(process.execPath, [outfile], options)).stdout)
    },
    async installClient() {
      const place = join(folder, 'node_modules/@redis/client')
      await mkdir(join(place, '..'), { recursive: true })
      await symlink(join(repository, 'node_modules/@redis/client'), place)
    },
  }
}
