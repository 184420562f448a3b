import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const mark = '\ufeff'
const utf16 = (text: string) => Buffer.from(mark + text, 'utf16le')
const utf16be = (text: string) => utf16(text).swap16()

async function rigWithConfig(content: string | Buffer) {
  const rig = await createRig()
  await mkdir(dirname(rig.configFile), { recursive: true })
  await writeFile(rig.configFile, content, { mode: 0o600 })
  return rig
}

test('a config file with a byte order mark and CRLF is read, and written back without the mark', async () => {
  const { fh, configFile } = await rigWithConfig(`${mark}{\r\n"profiles": {"default": {"retries": "3"}}\r\n}\r\n`)
  expect(await fh(['config', 'get', 'retries'])).toMatchObject({ code: 0, stdout: '3\n' })
  expect(await fh(['config', 'set', 'timeout', '30s'])).toMatchObject({ code: 0 })
  const written = await readFile(configFile, 'utf8')
  expect(JSON.parse(written)).toEqual({ profiles: { default: { retries: '3', timeout: '30s' } } })
})

test.each([
  ['little-endian', utf16('{}')],
  ['big-endian', utf16be('{}')],
  ['unmarked', utf16('{}').subarray(2)],
])('a config file in %s UTF-16 is named as such and not changed', async (_, content) => {
  const { fh, configFile } = await rigWithConfig(content)
  const stderr = expect.stringContaining(`${configFile} is broken: it is UTF-16 text: save it as UTF-8\n`)
  expect(await fh(['config', 'set', 'timeout', '30s'])).toMatchObject({ code: 2, stderr })
  expect((await readFile(configFile)).equals(content)).toBe(true)
})

test('a key file may have a byte order mark; one in UTF-16 is named as such, without the key', async () => {
  const { baseUrl, emulator } = await emulatedRig()
  const { fh, write } = await createRig({
    env: { FH_BASE_URL: baseUrl, FH_API_KEY_FILE: 'key.txt', FH_LIMITS: 'none' },
  })
  await write('key.txt', `${mark}${emulator.apiKey}\r\n`)
  expect(await fh(['stats', '-q'])).toMatchObject({ code: 0, stderr: '' })
  await write('key.txt', utf16('secret-key\r\n'))
  const stderr = 'fh: FH_API_KEY_FILE=key.txt: the API key is UTF-16 text: save it as UTF-8\n'
  expect(await fh(['stats'])).toMatchObject({ code: 2, stderr })
})

test('a list of uploads may be UTF-8 with a byte order mark, or UTF-16 as PowerShell writes it', async () => {
  const { fh, emulator } = await emulatedRig()
  const slug = (await fh(['upload', '--format', 'slug', mediaPath('photo.jpg')])).stdout.trim()
  const plan = async (stdin: string | Buffer) => await fh(['delete', '-n', '--from-stdin', '--json'], { stdin })
  const list = `${slug}\thttp://127.0.0.1/i/${slug}\r\n`
  for (const stdin of [mark + list, utf16(list)]) {
    expect(await plan(stdin)).toMatchObject({ code: 0, stdout: expect.stringContaining(slug) })
  }
  const stderr = expect.stringContaining('--from-stdin: the list is not UTF-8 text')
  expect(await plan(utf16be(list))).toMatchObject({ code: 2, stderr })
  expect(emulator.control.requests.list().requests.map(({ method }) => method)).not.toContain('DELETE')
})

test('an answer that a file of the service begins with a byte order mark is read', async () => {
  const stats = { uploads: 3, albums: 0, total_views: 9, api_requests: 5 }
  const marked = answer(200, mark + JSON.stringify(stats), { 'Content-Type': 'application/json' })
  const { fh } = await createRig({ service: await scriptedServer(marked) })
  const ended = await fh(['stats', '--json'])
  expect([ended.code, JSON.parse(ended.stdout).stats]).toEqual([0, stats])
})
