// A 200 MB upload: time of fh compared with curl (if installed), and peak memory of fh and of the emulator.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const fh = new URL('../bin/fh.js', import.meta.url).pathname
const sizeBytes = 200 * 1_048_576

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const path = join(folder, 'large.jpg')
  const file = await open(path, 'w')
  await file.write(Buffer.from([0xff, 0xd8, 0xff, 0xe0]))
  await file.truncate(sizeBytes)
  await file.close()

  const flags = ['--port', '0', '--no-quota', '--json', '--set', 'thumbnail=never']
  const emulator = spawn('node', [fh, 'emulate', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(emulator.stdout, 'data')
  const { base_url, api_key, pid } = JSON.parse(line)
  const env = { ...process.env, HOME: folder, FH_BASE_URL: base_url, FH_API_KEY: api_key }

  const report = "process.on('exit', () => console.error(process.resourceUsage().maxRSS))"
  const uploads = [1, 2, 3].map(() =>
    timed('node', ['--import', `data:text/javascript,${encodeURIComponent(report)}`, fh, 'upload', '-q', path], env),
  )
  const curls = [1, 2, 3].map(() =>
    timed(
      'curl',
      ['-sf', '-H', `X-Api-Key: ${api_key}`, '-H', 'Expect:', '-F', `file=@${path}`, `${base_url}/api/upload`],
      env,
    ),
  )
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const emulatorKiB = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN)
  emulator.kill()
  await rm(folder, { recursive: true })

  const floorMs = best(curls)
  console.table([
    { name: 'curl (floor)', 'best ms': floorMs, 'ratio to floor': 1 },
    {
      name: 'fh upload',
      'best ms': best(uploads),
      'ratio to floor': Number((best(uploads) / floorMs).toFixed(2)),
      'peak MiB': Math.max(
        ...uploads.map(({ stderr }) => Math.round(Number(stderr.trim().split('\n').at(-1)) / 1_024)),
      ),
    },
    { name: 'the emulator', 'peak MiB': Math.round(emulatorKiB / 1_024) },
  ])
}

function timed(command, args, env) {
  const startedAt = process.hrtime.bigint()
  const { status, stderr = '' } = spawnSync(command, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ms = Math.round(Number(process.hrtime.bigint() - startedAt) / 1e6)
  return { ms: status === 0 ? ms : Number.NaN, stderr: String(stderr) }
}

function best(runs) {
  return Math.min(...runs.map(({ ms }) => ms))
}
