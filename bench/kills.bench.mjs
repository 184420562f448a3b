// Whether each file is stored exactly once when the program is killed (kill -9) at random times and the same command is
// run again: a real emulator, real processes, real files.
// npm run bench -- kills [--rounds=20]
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const bin = new URL('../bin/fh.js', import.meta.url).pathname
const FILES = 30
const KILLS = 4

export async function run() {
  const rounds = Number(process.argv.find((text) => text.startsWith('--rounds='))?.split('=')[1] ?? 20)
  const root = await mkdtemp(join(tmpdir(), 'fh-kills-'))
  const service = await startService()
  const totals = {
    rounds,
    kills: 0,
    'stored by killed runs': 0,
    lost: 0,
    doubled: 0,
    'wrongly reported': 0,
    unknown: 0,
  }
  try {
    const paths = await writeFiles(root)
    for (let round = 0; round < rounds; round += 1) {
      const counts = await playRound(paths, { service, state: join(root, `state-${round}`) })
      for (const [name, count] of Object.entries(counts)) totals[name] += count
    }
  } finally {
    service.child.kill()
    await rm(root, { recursive: true, force: true })
  }
  for (const [name, count] of Object.entries(totals)) console.log(`  ${name.padEnd(24)} ${String(count).padStart(6)}`)
  if (totals.lost + totals.doubled + totals['wrongly reported'] > 0) process.exitCode = 1
}

async function startService() {
  const child = spawn(process.execPath, [bin, 'emulate', '--port', '0', '--no-quota', '--json'])
  const ready = await new Promise((resolve) => child.stdout.once('data', (text) => resolve(JSON.parse(String(text)))))
  return { child, ...ready }
}

/** Many files of one size and type, which the service's list alone cannot tell apart. */
async function writeFiles(root) {
  const paths = []
  for (let index = 0; index < FILES; index += 1) {
    const bytes = Buffer.alloc([2_000, 60_000, 3_000_000][index % 3] + (index % 2 === 0 ? 0 : index), index)
    bytes.set([0xff, 0xd8, 0xff, 0xe0])
    const path = join(root, `${index}.jpg`)
    await writeFile(path, bytes)
    paths.push(path)
  }
  return paths
}

async function playRound(paths, { service, state }) {
  const control = (path, method, body) =>
    fetch(`${service.control_url}${path}`, { method, body: body && JSON.stringify(body) }).then((answer) =>
      answer.json(),
    )
  await control('/reset', 'POST')
  await control('/faults', 'PUT', [{ match: { path: '/api/upload' }, times: null, action: { type: 'delay', ms: 15 } }])
  const env = {
    PATH: process.env.PATH,
    FH_BASE_URL: service.base_url,
    FH_API_KEY: service.api_key,
    FH_STATE_DIR: state,
    FH_CONFIG_DIR: state,
    FH_LIMITS: 'none',
  }
  let [kills, before] = [0, 0]
  let records = await upload(paths, env, killAfter(0))
  for (; records === undefined; records = await upload(paths, env, killAfter(kills))) {
    kills += 1
    before = (await control('/health', 'GET')).uploads
  }
  const counts = { kills, 'stored by killed runs': before, lost: 0, doubled: 0, 'wrongly reported': 0, unknown: 0 }
  for (const { file, status, upload: stored } of records) {
    if (status === 'unknown') counts.unknown += 1
    else if (stored === null) counts.lost += 1
    else if ((await digestOf(stored.direct_url)) !== digest(await readFile(file))) counts['wrongly reported'] += 1
  }
  const { uploads } = await control('/health', 'GET')
  counts.doubled += Math.max(0, uploads - FILES)
  counts.lost += Math.max(0, new Set(records.map(({ upload: stored }) => stored?.slug)).size < FILES - counts.unknown)
  return counts
}

/** Milliseconds until the next run is killed; the last run is not. */
function killAfter(kills) {
  return kills < KILLS ? 80 + Math.random() * 250 : undefined
}

/**
 * Runs the command to its end, or for so many milliseconds.
 * @returns its report; undefined if it was killed before it reported
 */
function upload(paths, env, killAfterMs) {
  const child = spawn(process.execPath, [bin, 'upload', '--jobs', '4', '--json', ...paths], { env })
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  let stdout = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  return new Promise((resolve) => {
    child.once('close', (_, signal) => {
      clearTimeout(timer)
      // The report is written at once; with all of it the run is done, even if the process was killed while ending.
      resolve(signal === null || stdout.endsWith(']\n') ? JSON.parse(stdout) : undefined)
    })
  })
}

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')

async function digestOf(url) {
  return digest(Buffer.from(await (await fetch(url)).arrayBuffer()))
}
