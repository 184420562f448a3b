import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { mediaPath } from '../helpers/media.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
/** Undefined if it is not installed. */
const program = ['tinyproxy', '/usr/sbin/tinyproxy'].find((place) => spawnSync(place, ['-v']).status === 0)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

/** @returns its address */
async function startTinyproxy(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-tinyproxy-'))
  const port = await freePort()
  const file = join(folder, 'tinyproxy.conf')
  await writeFile(file, `Port ${port}\nListen 127.0.0.1\nAllow 127.0.0.1\nTimeout 60\nMaxClients 20\n`)
  const child = spawn(program, ['-d', '-c', file], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  await until(() => listens(port))
  return `http://127.0.0.1:${port}`
}

test.for([
  ['http', []],
  ['https', ['--tls-cert', fixture('certificate.pem'), '--tls-key', fixture('key.pem')]],
] as const)('through tinyproxy, a file is uploaded over %s and listed', async ([scheme, flags], { skip }) => {
  if (program === undefined) return skip('tinyproxy is not installed: how requests pass through it is left out')
  const proxy = await startTinyproxy(program)
  const rig = await createRig()
  const emulator = rig.start(['emulate', '--port', '0', '--json', '--api-key', 'key', ...flags])
  const [ready] = jsonLines(await emulator.printed('stdout', /\n/))
  const env = { FH_BASE_URL: String(ready?.['base_url']), FH_API_KEY: 'key' }
  const way = ['--proxy', proxy, '--ca-cert', fixture('certificate.pem'), '--json']
  const sent = await rig.fh(['upload', mediaPath('photo.jpg'), ...way], { env })
  const listed = await rig.fh(['list', ...way], { env })
  expect([scheme, sent.code, listed.code]).toEqual([new URL(env.FH_BASE_URL).protocol.slice(0, -1), 0, 0])
  expect(JSON.parse(sent.stdout)).toMatchObject([{ status: 'uploaded' }])
  expect(listed.stdout).toContain('"slug"')
})
