import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { deadAddress } from './dead-address.ts'
import { until } from './until.ts'

/**
 * The path of a server's program; undefined if it is not installed. Debian keeps servers outside the PATH of users.
 * @param asked the argument with which it tells its version
 */
export function installedServer(name: string, asked = '-v'): string | undefined {
  return [name, `/usr/sbin/${name}`, `/usr/local/sbin/${name}`].find((place) => spawnSync(place, [asked]).status === 0)
}

interface Start {
  readonly program: string
  /** @param folder a temporary folder, which holds `configuration` as `server.conf` */
  readonly args: (folder: string) => readonly string[]
  readonly configuration: (port: number) => string
}

/**
 * Starts a server on a port of 127.0.0.1. The end of the test kills it and removes its folder.
 *
 * @returns its address, without a slash at the end
 * @throws Error with the server's own words if it does not start
 */
export async function startServer({ program, args, configuration }: Start): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-server-'))
  const address = await deadAddress()
  const port = Number(new URL(address).port)
  await writeFile(join(folder, 'server.conf'), configuration(port))
  // What a server keeps of its own goes with the folder.
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const child = spawn(program, args(folder), { stdio: ['ignore', 'ignore', 'pipe'], env })
  const [ended, said] = [once(child, 'exit'), text(child.stderr)]
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  await until(async () => child.exitCode !== null || (await listens(port)))
  if (child.exitCode !== null) throw new Error(`${program} does not start: ${await said}`)
  return address
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
