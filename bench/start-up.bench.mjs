// Start-up time of fh as a whole process, compared with bare Node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareProcesses } from './measure.mjs'

const fh = new URL('../bin/fh.js', import.meta.url).pathname
const photo = new URL('../test/fixtures/media/photo.jpg', import.meta.url).pathname

export async function run() {
  const home = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const emulator = spawn('node', [fh, 'emulate', '--port', '0', '--no-quota', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(emulator.stdout, 'data')
  const { base_url, api_key } = JSON.parse(line)
  // The ledger is kept as usual, with limits so high that no request ever waits.
  const limits = 'burst=1000000,minute=1000000,hour=1000000,day=1000000'
  const env = { HOME: home, FH_BASE_URL: base_url, FH_API_KEY: api_key, FH_LIMITS: limits }
  console.table(
    compareProcesses([
      { name: 'node -e 0 (floor)', command: ['node', '-e', '0'] },
      { name: 'fh --version', command: ['node', fh, '--version'] },
      { name: 'fh --help', command: ['node', fh, '--help'] },
      { name: 'fh stats', command: ['node', fh, 'stats'], env },
      { name: 'fh stats --limits none', command: ['node', fh, 'stats', '--limits', 'none'], env },
      { name: 'fh upload photo.jpg', command: ['node', fh, 'upload', photo], env },
    ]),
  )
  emulator.kill()
  await rm(home, { recursive: true })
}
