// How long `fh list --all` takes of a list that is far away: 2,000 uploads, each answer 80 ms late.
// npm run bench -- list [--count=2000] [--delay=80] [--quota]
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from './measure.mjs'
import { fh, option, startService } from './service.mjs'

const ROUNDS = 5

export async function run() {
  const [count, ms] = [option('count', 2_000), option('delay', 80)].map(Number)
  const hasQuota = process.argv.includes('--quota')
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const seed = join(folder, 'seed.json')
  await writeFile(seed, JSON.stringify({ accounts: [{ uploads: { count } }] }))
  const flags = [...(hasQuota ? [] : ['--no-quota']), '--seed', seed]
  const service = await startService(flags, { env: { HOME: folder } })
  try {
    await service.control('/faults', 'POST', { match: {}, times: null, action: { type: 'delay', ms } })
    const env = { HOME: folder, ...service.env, ...(!hasQuota && { FH_LIMITS: 'none' }) }
    const commands = ['list --all', 'list --all --limit 500', 'list --type image --sort size', 'list --since 1h']
    if (hasQuota) commands.splice(1)
    const requests = async () => (await service.control('/requests')).requests.length
    for (const words of commands) {
      const before = await requests()
      const rounds = hasQuota ? 1 : ROUNDS
      const [{ cpuMs, wallMs }] = measure([{ command: [process.execPath, fh, ...words.split(' ')], env }], rounds)
      const sent = ((await requests()) - before) / rounds
      console.log(`fh ${words}: ${Math.round(wallMs)} ms, processor ${Math.round(cpuMs)} ms, ${sent} requests`)
    }
    const report = await service.control('/report')
    console.log(`etiquette: ${report.clean ? 'clean' : JSON.stringify(report)}`)
  } finally {
    await service.end()
    await rm(folder, { recursive: true })
  }
}
