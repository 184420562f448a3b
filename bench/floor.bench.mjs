// What fh costs beside the shortest program that does the same (bench/floors/): the table of docs/performance.md.
// Other Nodes than this one: npm run bench -- --node=/path/to/node
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binaryOf, ownTarget } from '../build/binaries/targets.mjs'
import { largestItems } from './largest-items.mjs'
import { measure, peakMiB } from './measure.mjs'
import { nodes, versionOf } from './nodes.mjs'
import { fh, startService } from './service.mjs'

const pathOf = (name) => new URL(name, import.meta.url).pathname
const [LARGE_BYTES, SMALL_BYTES] = [190_000_000, 1_000]
const [UPLOAD_ROUNDS, WALL_ROUNDS, START_ROUNDS] = [10, 6, 15]

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const sink = spawn(process.execPath, [pathOf('floors/sink.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = await once(sink.stdout, 'data')
    const files = {
      large: join(folder, 'large.jpg'),
      small: join(folder, 'small.jpg'),
      photo: join(folder, 'photo.jpg'),
    }
    await writeJpeg(files.large, LARGE_BYTES)
    await writeJpeg(files.small, SMALL_BYTES)
    await copyFile(pathOf('../test/fixtures/media/photo.jpg'), files.photo)
    const place = { folder, files, sink: `http://127.0.0.1:${String(port).trim()}` }
    for (const node of nodes) {
      console.log(`\nNode ${versionOf(node)}`)
      await compare(node, place)
    }
  } finally {
    sink.kill()
    await rm(folder, { recursive: true })
  }
}

async function compare(node, place) {
  const service = await startService(['--no-quota', '--set', 'thumbnail=never'], { node, env: { HOME: place.folder } })
  try {
    const served = { ...place, service }
    const rows = [...uploads(node, served), ...wallTime(node, served)]
    console.table([...rows, ...memoryOf(service), ...starts(node, served)])
    for (const [name, program] of profiled(node, served)) {
      console.log(`${name}: takes longest in ${largestItems(program).join(', ')}`)
    }
  } finally {
    await service.end()
  }
}

/** The most that the emulator has had, which has taken uploads of 190 MB. */
function memoryOf({ pid }) {
  if (process.platform !== 'linux') return []
  const [, kib] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return [{ what: 'memory of the emulator that took them', fh: `${Math.round(kib / 1_024)} MiB`, goal: '90 MiB' }]
}

async function writeJpeg(path, size) {
  await writeFile(path, Buffer.from([0xff, 0xd8, 0xff, 0xe0]))
  await truncate(path, size)
}

/** So high that no request ever waits; the ledger is kept as usual. */
const limits = 'burst=1000000,minute=1000000,hour=1000000,day=1000000'

function uploads(node, { folder, files, sink }) {
  const env = { HOME: folder, FH_BASE_URL: sink, FH_API_KEY: 'k', FH_LIMITS: limits }
  const floor = (file, ...more) => ({ command: [node, pathOf('floors/upload.cjs'), file, sink, 'k', ...more] })
  const ours = (file, ...more) => ({ command: [node, fh, 'upload', '--force', ...more, file], env })
  const { large, small } = files
  const contenders = [
    [floor(large), floor(small), ours(large), ours(small)],
    [floor(large, 'unhashed'), floor(small, 'unhashed'), ours(large, '--no-journal'), ours(small, '--no-journal')],
  ]
  const best = measure(contenders.flat(), UPLOAD_ROUNDS)
  const costs = [best.slice(0, 4), best.slice(4, 8)]
  const [peakFloor, peak] = [peakMiB(floor(large)), peakMiB(ours(large))]
  return [
    ...['hashed', 'unhashed (--no-journal)'].map((how, index) => {
      const [floorLarge, , large] = costs[index]
      return row(`upload of 190 MB, ${how}`, 'ms', floorLarge.cpuMs, large.cpuMs, [1.3, 1.5][index])
    }),
    ...['hashed', 'unhashed'].map((how, index) => {
      const [floorLarge, floorSmall, large, small] = costs[index].map(({ cpuMs }) => cpuMs)
      return row(`its bytes alone, ${how}`, 'ms', floorLarge - floorSmall, large - small, 1.15)
    }),
    { ...row('its memory', 'MiB', peakFloor, peak), goal: '62 MiB' },
  ]
}

/** To the emulator, which keeps what it gets: how soon the upload is over, and what of that its bytes take. */
function wallTime(node, { folder, files, service }) {
  if (spawnSync('curl', ['--version']).status !== 0) return []
  const env = { HOME: folder, ...service.env, FH_LIMITS: limits }
  const curl = (file) => {
    const form = ['-H', 'Expect:', '-F', `file=@${file}`]
    return { command: ['curl', '-sf', '-H', `X-Api-Key: ${service.apiKey}`, ...form, `${service.baseUrl}/api/upload`] }
  }
  const floor = (file) => ({ command: [node, pathOf('floors/upload.cjs'), file, service.baseUrl, service.apiKey] })
  const ours = (file) => ({ command: [node, fh, 'upload', '--force', file], env })
  // The disk is busy for a while after a large file: each of them comes after a small one.
  const contenders = [curl, floor, ours].flatMap((upload) => [upload(files.large), upload(files.small)])
  const [large, small, floorLarge, , oursLarge, oursSmall] = measure(contenders, WALL_ROUNDS).map(
    ({ wallMs }) => wallMs,
  )
  return [
    row('its wall time, floor curl -F', 'ms', large, oursLarge, 1.1),
    row('its wall time, floor upload.cjs', 'ms', floorLarge, oursLarge),
    row('its bytes alone, wall time, floor curl -F', 'ms', large - small, oursLarge - oursSmall),
  ]
}

/** Programs of others whose start is measured in the same rounds, where the machine has them. */
const peers = ['gh', 'rclone', 'immich'].filter((name) => spawnSync(name, ['--version']).status === 0)

function starts(node, { folder, files, service }) {
  const env = { HOME: folder, ...service.env, FH_LIMITS: limits }
  const packages = (...words) => {
    const [endpoint, ...more] = words
    const given = [endpoint, service.baseUrl, service.apiKey, join(folder, 'quota.db'), ...more]
    return { command: [node, '--no-warnings', pathOf('floors/packages.mjs'), ...given] }
  }
  const upload = ['upload', '--force', files.photo]
  const rows = [
    { what: '--version', words: ['--version'], goal: 1.4, goalOfBinary: 0.5 },
    { what: '--help', words: ['--help'], goal: 1.8, goalOfBinary: 0.75 },
    { what: 'list', words: ['list'], floor: packages('uploads'), goal: 1.8 },
    { what: 'stats', words: ['stats'], floor: packages('stats'), goal: 1.8, goalOfBinary: 2 },
    { what: 'upload photo.jpg', words: upload, floor: packages('upload', files.photo), goal: 1.8, goalOfBinary: 3.2 },
  ]
  const binary = pathOf(`../${binaryOf(ownTarget())}`)
  const contenders = [
    { command: [node, '-e', '0'] },
    ...rows.map(({ floor }) => floor ?? { command: [node, '-e', '0'] }),
    ...rows.map(({ words }) => ({ command: [node, fh, ...words], env })),
    ...(existsSync(binary) ? rows.map(({ words }) => ({ command: [binary, ...words], env })) : []),
    ...peers.map((name) => ({ command: [name, '--version'] })),
  ]
  const [bare, ...costs] = measure(contenders, START_ROUNDS).map(({ cpuMs }) => cpuMs)
  const own = costs.slice(0, costs.length - peers.length)
  const [floors, ours, binaries] = [0, 1, 2].map((part) => own.slice(part * rows.length, (part + 1) * rows.length))
  const toBare = (cost) => Number((cost / bare).toFixed(2))
  return [
    ...rows.map(({ what, floor, goal }, index) => {
      const name = floor === undefined ? 'node -e 0' : 'packages.mjs'
      return {
        ...row(`fh ${what}, floor ${name}`, 'ms', floors[index], ours[index], goal),
        toBare: toBare(ours[index]),
      }
    }),
    ...rows.flatMap(({ what, goalOfBinary: goal }, index) =>
      binaries[index] && goal
        ? [row(`the binary: fh ${what}, floor node -e 0`, 'ms', bare, binaries[index], goal)]
        : [],
    ),
    ...peers.map((name, index) =>
      row(`${name} --version, floor node -e 0`, 'ms', bare, costs.at(index - peers.length)),
    ),
  ]
}

/** The profiler itself makes them slower, most of all what compiles. */
function profiled(node, { folder, files, sink, service }) {
  const env = { HOME: folder, FH_BASE_URL: sink, FH_API_KEY: 'k', FH_LIMITS: limits }
  const ofService = { ...env, ...service.env }
  return [
    ['fh upload of 190 MB', { command: [node, fh, 'upload', '--force', files.large], env }],
    ['fh stats', { command: [node, fh, 'stats'], env: ofService }],
    ['fh --help', { command: [node, fh, '--help'], env }],
  ]
}

function row(what, unit, floor, cost, goal) {
  return {
    what,
    floor: `${Math.round(floor)} ${unit}`,
    fh: `${Math.round(cost)} ${unit}`,
    ratio: Number((cost / floor).toFixed(2)),
    ...(goal !== undefined && { goal: `≤ ${goal}` }),
  }
}
