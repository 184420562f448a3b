import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'

/** Writes a report as the program ends: the files and modules of Node it loaded, and the Intl.Segmenters it made. */
const reportLoaded = `
const { Segmenter } = Intl
let segmenters = 0
Intl.Segmenter = class extends Segmenter {
  constructor(...given) {
    super(...given)
    segmenters += 1
  }
}
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename)
  require('node:fs').writeFileSync('loaded.json', JSON.stringify({ files, modules: process.moduleLoadList, segmenters }))
})`

interface Loaded {
  readonly files: readonly string[]
  readonly modules: readonly string[]
  /** How many Intl.Segmenters were made; one takes as long as all of fh's start. */
  readonly segmenters: number
}

/** By the words of fh: each is run once. */
const reports = new Map<string, Promise<Loaded>>()

/** What fh has loaded when it ends. */
function loadedBy(words: string, more: Readonly<Record<string, string>> = {}): Promise<Loaded> {
  const key = JSON.stringify([words, more])
  const report = reports.get(key) ?? reported((rig, env) => rig.program(words.split(' '), { env: { ...env, ...more } }))
  reports.set(key, report)
  return report
}

type Rig = Awaited<ReturnType<typeof emulatedRig>>

async function reported(run: (rig: Rig, env: Readonly<Record<string, string>>) => Promise<unknown>): Promise<Loaded> {
  const rig = await emulatedRig()
  await rig.write('photo.jpg', jpegBytes(100))
  await rig.write('large.jpg', jpegBytes(2 * 1_048_576))
  await rig.write('nothing.cjs', '')
  await rig.write('report-loaded.cjs', reportLoaded)
  await run(rig, { NODE_OPTIONS: `--require=${JSON.stringify(join(rig.folder, 'report-loaded.cjs'))}` })
  const loaded: Loaded = JSON.parse(await readFile(join(rig.folder, 'loaded.json'), 'utf8'))
  return { ...loaded, modules: loaded.modules.map((name) => name.replace(/^NativeModule /, '')) }
}

async function codeOf({ files }: Loaded): Promise<string> {
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('')
}

// A start is fast if it reads few files. A new one has to be worth its milliseconds: docs/decisions/008.
test.each([
  ['--version', 3],
  ['--help', 4],
  ['upload --help', 6],
  ['stats', 6],
])('fh %s loads %d files of its own', async (word, count) => {
  expect((await loadedBy(word)).files).toHaveLength(count)
})

test('fh --help loads of the library only the small files that the table of settings names', async () => {
  const code = await codeOf(await loadedBy('--help'))
  // The bundler names each module above its code.
  const modules = code.matchAll(/^\/\/ src\/((?!cli\/)\S+)\.ts$/gm)
  expect([...new Set([...modules].map(([, module]) => module))].sort()).toEqual([
    'checks/coded-error',
    'checks/json',
    'checks/quoted',
    'client/base-url',
    'client/retry',
    'client/transports/transport',
    'environment/quota-limits',
    'fleet/redis-url',
    'protocol/media-types',
    'protocol/quantities',
    'protocol/rate-limits',
    'system/runtime',
    'system/system-errors',
  ])
})

test('fh stats loads of the network only http, and of a ledger in Redis the small file that checks its URL', async () => {
  const fh = await loadedBy('stats')
  const wires = ['child_process', 'dgram', 'dns', 'http', 'http2', 'https', 'tls', 'zlib']
  expect(fh.modules.filter((name) => wires.includes(name))).toEqual(['http'])
  expect((await codeOf(fh)).match(/^\/\/ src\/fleet\/.*$/gm)).toEqual(['// src/fleet/redis-url.ts'])
})

test('fh upload photo.jpg loads no questions, no ledger in Redis, and neither certificates nor words for refused files', async () => {
  const code = await codeOf(await loadedBy('upload photo.jpg'))
  const found = code.match(/^\/\/ src\/cli\/.*\/(upload-work|prompt|ca-file|fleet|other-media)\.ts$/gm)
  expect(found).toEqual(['// src/cli/commands/upload/upload-work.ts'])
})

test.each(['stats', 'list', 'help upload', 'upload photo.jpg'])(
  'fh %s makes no Intl.Segmenter where all text is ASCII',
  async (words) => {
    expect((await loadedBy(words)).segmenters).toBe(0)
  },
)

test('fh upload over http loads neither https nor child_process, nor a table of media types', async () => {
  const fh = await loadedBy('upload photo.jpg')
  expect(fh.modules.filter((name) => ['child_process', 'https', 'tls'].includes(name))).toEqual([])
  const code = await codeOf(fh)
  expect(code).toContain('multipart/form-data')
  expect(code).not.toContain('application/vnd.')
})

test('fh upload loads undici if the environment names a proxy, and not for a large file without one', async () => {
  const loadsUndici = async (env = {}) =>
    // An error code that only undici has.
    (await codeOf(await loadedBy('upload large.jpg', env))).includes('UND_ERR_NOT_SUPPORTED')
  expect(await loadsUndici()).toBe(false)
  expect(await loadsUndici({ HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' })).toBe(true)
})

test('fh config set loads conf, and not its schema validator', async () => {
  const code = await codeOf(await loadedBy('config set max_wait 5m'))
  expect(code).toContain('Config schema violation')
  expect(code).not.toContain('json-schema.org')
})

test('fh --version, fh --help, fh stats and fh list do not load the loader of ES modules', async () => {
  const run = promisify(execFile)
  const nothing = await reported((rig, env) =>
    run(process.execPath, ['nothing.cjs'], { cwd: rig.folder, env: { ...rig.env, ...env } }),
  )
  const loader = ({ modules }: Loaded) => modules.filter((name) => name.includes('/esm/'))
  for (const word of ['--version', '--help', 'stats', 'list']) {
    expect(loader(await loadedBy(word)), word).toEqual(loader(nothing))
  }
})

test('fh emulate loads pages and stylesheets only when one is asked for', async () => {
  const code = await codeOf(await loadedBy(`emulate --quiet -- ${process.execPath} --version`))
  expect(code).toMatch(/^\/\/ emulator\/site\/site\.ts$/m)
  expect(code).not.toMatch(/^\/\/ emulator\/(site\/pages|dashboard\/(?!late-dashboard\.ts))/m)
  expect(code).not.toMatch(/^\/\/ node_modules\/hono\//m)
  expect(code).not.toContain('prefers-color-scheme')
})
