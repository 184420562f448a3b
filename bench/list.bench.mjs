// How long `fh list --all` takes of a list that is far away: 2,000 uploads, each answer 80 ms late.
// npm run bench -- list [--count=2000] [--delay=80] [--quota]
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from './measure.mjs'

const fh = new URL('../bin/fh.js', import.meta.url).pathname
const ROUNDS = 5

export async function run() {
  const option = (name, usual) =>
    Number(process.argv.find((text) => text.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual)
  const [count, ms] = [option('count', 2_000), option('delay', 80)]
  const hasQuota = process.argv.includes('--quota')
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const seed = join(folder, 'seed.json')
  await writeFile(seed, JSON.stringify({ accounts: [{ uploads: { count } }] }))
  const emulator = spawn(
    process.execPath,
    [fh, 'emulate', '--port', '0', ...(hasQuota ? [] : ['--no-quota']), '--json', '--seed', seed],
    { env: { ...process.env, HOME: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  try {
    const [line] = await once(emulator.stdout, 'data')
    const { base_url, api_key, control_url } = JSON.parse(line)
    const body = JSON.stringify({ match: {}, times: null, action: { type: 'delay', ms } })
    const headers = { 'content-type': 'application/json' }
    const added = await fetch(`${control_url}/faults`, { method: 'POST', headers, body })
    if (!added.ok) throw new Error(`The delay was refused: ${await added.text()}`)
    const env = { HOME: folder, FH_BASE_URL: base_url, FH_API_KEY: api_key, ...(!hasQuota && { FH_LIMITS: 'none' }) }
    const commands = ['list --all', 'list --all --limit 500', 'list --type image --sort size', 'list --since 1h']
    if (hasQuota) commands.splice(1)
    const requests = async () => (await (await fetch(`${control_url}/requests`)).json()).requests.length
    for (const words of commands) {
      const before = await requests()
      const command = [process.execPath, fh, ...words.split(' ')]
      const rounds = hasQuota ? 1 : ROUNDS
      const [{ cpuMs, wallMs }] = measure([{ command, env }], rounds)
      const sent = ((await requests()) - before) / rounds
      console.log(`fh ${words}: ${Math.round(wallMs)} ms, processor ${Math.round(cpuMs)} ms, ${sent} requests`)
    }
    const { stdout } = spawnSync('curl', [`${control_url}/report`], { encoding: 'utf8' })
    console.log(`etiquette: ${JSON.parse(stdout).clean ? 'clean' : stdout}`)
  } finally {
    emulator.kill()
    await rm(folder, { recursive: true })
  }
}
