import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { installedServer, startServer } from '../helpers/installed-server.ts'
import { mediaPath } from '../helpers/media.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const program = installedServer('tinyproxy')

test.for([
  ['http', []],
  ['https', ['--tls-cert', fixture('certificate.pem'), '--tls-key', fixture('key.pem')]],
] as const)('through tinyproxy, a file is uploaded over %s and listed', async ([scheme, flags], { skip }) => {
  if (program === undefined) return skip('left out: this machine has no tinyproxy')
  const proxy = await startServer({
    program,
    args: (folder) => ['-d', '-c', `${folder}/server.conf`],
    configuration: (port) => `Port ${port}\nListen 127.0.0.1\nAllow 127.0.0.1\nTimeout 60\nMaxClients 20\n`,
  })
  const { rig, baseUrl } = await runningEmulator(...flags)
  const env = { FH_BASE_URL: baseUrl, FH_API_KEY: 'k' }
  const way = ['--proxy', proxy, '--ca-cert', fixture('certificate.pem'), '--json']
  const sent = await rig.fh(['upload', mediaPath('photo.jpg'), ...way], { env })
  const listed = await rig.fh(['list', ...way], { env })
  expect([scheme, sent.code, listed.code]).toEqual([new URL(env.FH_BASE_URL).protocol.slice(0, -1), 0, 0])
  expect(JSON.parse(sent.stdout)).toMatchObject([{ status: 'uploaded' }])
  expect(listed.stdout).toContain('"slug"')
})
