import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'

/** Writes a report as the program ends: the files and modules of Node it loaded, the Intl.Segmenters and the streams it made. */
const reportLoaded = `
let segmenters = 0
const streams = new Set()
for (const name of ['stdout', 'stderr']) {
  const { get } = Object.getOwnPropertyDescriptor(process, name)
  Object.defineProperty(process, name, { configurable: true, get: () => (streams.add(name), get.call(process)) })
}
Intl.Segmenter = class extends Intl.Segmenter {
  number = (segmenters += 1)
}
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename)
  require('node:fs').writeFileSync('loaded.json', JSON.stringify({ files, modules: process.moduleLoadList, segmenters, streams: [...streams] }))
})`

interface Loaded {
  readonly files: readonly string[]
  readonly modules: readonly string[]
  /** How many Intl.Segmenters were made; one takes as long as all of fh's start. */
  readonly segmenters: number
  /** The standard streams that were made: each takes half a millisecond. */
  readonly streams: readonly string[]
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
  ['--version', 2],
  ['--help', 3],
  ['upload --help', 5],
  ['stats', 5],
])('fh %s loads %d files of its own', async (word, count) => {
  expect((await loadedBy(word)).files).toHaveLength(count)
})

test('fh --help loads of the library only the small files that the table of settings names', async () => {
  const code = await codeOf(await loadedBy('--help'))
  // The bundler names each module above its code.
  const modules = code.matchAll(/^\/\/ src\/((?!cli\/)\S+)\.ts$/gm)
  expect([...new Set([...modules].map(([, module]) => module))].sort()).toEqual([
    ...['checks/coded-error', 'checks/json', 'checks/quoted', 'client/base-url', 'client/retry'],
    ...['client/transports/transport', 'contents/recorded-fields', 'environment/quota-limits', 'log/redis/redis-url'],
    ...['protocol/media-types', 'protocol/quantities', 'protocol/rate-limits', 'system/devices'],
    ...['system/environment', 'system/runtime', 'system/system-errors'],
  ])
})

/** Modules of Node that take a millisecond to load, or speak with others. */
const costly = ['child_process', 'crypto', 'dgram', 'dns', 'fs/promises', 'http', 'http2', 'https', 'module', 'net']
const dear = [...costly, 'os', 'perf_hooks', 'readline', 'stream/web', 'tls', 'v8', 'worker_threads', 'zlib']

test.each([
  ['--help', []],
  ['upload --help', []],
  ['stats', ['http', 'net', 'os']],
  ['list', ['http', 'net', 'os']],
  ['upload photo.jpg', ['crypto', 'http', 'net', 'os']],
])('fh %s loads of the costly modules of Node %j', async (words, needed) => {
  const { modules, segmenters } = await loadedBy(words)
  expect(modules.filter((name) => dear.includes(name)).sort()).toEqual(needed)
  // Where all text is ASCII.
  expect(segmenters).toBe(0)
})

test.each([
  ['stats', ['src/log/redis/redis-url', 'src/cli/run/execution']],
  ['upload photo.jpg', ['src/log/redis/redis-url', 'src/cli/run/execution', 'src/cli/commands/upload/upload-work']],
])(
  'fh %s loads no questions, fleet, certificates, words for refused files or media types, but %j',
  async (words, few) => {
    const code = await codeOf(await loadedBy(words))
    const some =
      /^\/\/ (src\/(?:log\/redis|pacing\/fleet|contents\/fleet)\/.+|src\/cli\/.+\/(?:upload-work|prompt|ca-file|fleet|other-media|execution))\.ts$/gm
    expect([...code.matchAll(some)].map(([, path]) => path)).toEqual(few)
    expect(code.includes('multipart/form-data')).toBe(true)
    expect(code).not.toContain('application/vnd.')
  },
)

// An upload that takes long, as on a busy machine, is told.
test.each(['--help', 'stats', 'upload --quiet photo.jpg'])(
  'fh %s makes no stream of standard error to say nothing',
  async (words) => {
    expect((await loadedBy(words)).streams).not.toContain('stderr')
  },
)

test('fh upload loads undici if the environment names a proxy, and not for a large file without one', async () => {
  // An error code that only undici has.
  const isUndici = (code: string) => code.includes('UND_ERR_NOT_SUPPORTED')
  const loadsUndici = async (env = {}) => isUndici(await codeOf(await loadedBy('upload large.jpg', env)))
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
  const nothing = await reported(({ env, folder }, more) =>
    run(process.execPath, ['nothing.cjs'], { cwd: folder, env: { ...env, ...more } }),
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
