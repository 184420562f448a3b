import { expect } from 'vitest'
import type { FleetClaim } from '../../src/contents/fleet/fleet-claims.ts'
import { createFleetContents } from '../../src/contents/fleet/fleet-contents.ts'
import type { FleetPatience } from '../../src/contents/fleet/fleet-teller.ts'
import type { Upload, UploadIntent } from '../../src/index.ts'
import { openFleetLog } from '../../src/log/redis/fleet-log.ts'
import { FleetProblem, type RedisLink } from '../../src/log/redis/redis-link.ts'
import { createFleetHome } from '../../src/pacing/fleet/fleet-home.ts'
import type { OpenFleet } from '../../src/pacing/fleet/open-fleet.ts'
import { createLogLedger } from '../../src/pacing/quota-log/log-ledger.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { createEventClock } from '../pacing/simulation/event-clock.ts'
import { linkTo, newKeys } from './link-to-redis.ts'

export const cat = { size: 1, sha256: 'a'.repeat(64) }
export const dog = { size: 2, sha256: 'b'.repeat(64) }
export const intent: UploadIntent = { size: 1, mimeType: 'image/png', startedAt: 0, endedAt: null, knownSlugs: [] }
const texts = { title: '', url: 'u', direct_url: 'd', thumb_url: null, mime_type: 'image/png', created_at: '' }
export const shown = (content: typeof cat, slug: string) => {
  return { content, name: 'a.png', upload: { ...texts, slug, size: 1, views: 0, likes: 0 } as Upload }
}

/** A claim that is in the log. */
export async function claimed(
  { claim }: { claim(id: string, content: typeof cat): FleetClaim },
  id: string,
  content = cat,
) {
  const own = claim(id, content)
  await own.standing()
  return own
}

export async function sending(...[runner, id, content = cat]: Parameters<typeof claimed>) {
  const claim = await claimed(runner, id, content)
  expect(await claim.intend({ ...intent, size: content.size })).toBe(true)
  return claim
}

/** Runners of one key whose Redis has been whole for a minute. Time passes for them when a test says so. */
export async function createFleet() {
  const server = await startRedis()
  const keys = newKeys()
  const [state = '', quota = '', , record = '', seen = '', runners = ''] = keys
  const events = createEventClock(Date.now())
  let sleptMs = 0
  let underWay = 0
  const clock = { now: () => events.now() + sleptMs, sleep: events.sleep }
  const after = (ms: number) => server.command('HINCRBY', state, 'skew', String(ms))
  async function settled() {
    do await new Promise(setImmediate)
    while (underWay > 0)
  }
  /** All processes are asleep meanwhile. */
  async function sleep(ms: number) {
    sleptMs += ms
    await after(ms)
  }
  async function pass(ms: number) {
    for (let left = ms; left > 0; left -= 1_000) {
      await after(1_000)
      await events.run(events.sleep(1_000))
      await settled()
    }
  }
  const join = (patience: FleetPatience = {}) => {
    const link = linkTo(server.url, { keys, clock: patientClock })
    const line = { calls: [] as string[], isCut: false, losesAnswer: false }
    const run: RedisLink['run'] = async (script, args) => {
      underWay += 1
      try {
        const answer = line.isCut ? undefined : await link.run(script, args)
        line.isCut ||= line.losesAnswer
        if (line.isCut) throw new FleetProblem('unreachable', 'cut off')
        line.calls.push(String(args[4]))
        return answer
      } finally {
        underWay -= 1
      }
    }
    const createModel = () => createQuotaModel()
    const { home, log, heartbeat } = createFleetHome({ link: { ...link, run }, clock, createModel })
    const ledger = { log, ...createLogLedger({ clock, home }) }
    const runner = log.runner
    const openLog: OpenFleet['openLog'] = (options) => {
      return { log: openFleetLog({ ...options, link: heartbeat, clock, runner }), heartbeat }
    }
    const contents = createFleetContents({ openLog }, clock, patience)
    const claim = (id: string, content: typeof cat) => contents.claim(id, 'a.png', content)
    return { ...contents, claim, line, ledger }
  }
  /** As of now, and not as of the last reading. */
  const standing = async (claim: FleetClaim) => {
    await claim.standing()
    await pass(2_000)
    return await claim.standing()
  }
  /** Redis loses all that it knows, but its clock goes on. */
  async function lose() {
    const skew = String(await server.command('HGET', state, 'skew'))
    await server.command('FLUSHALL')
    await server.command('HSET', state, 'skew', skew)
  }
  await join().look([cat])
  await after(60_000)
  return {
    server,
    join,
    one: join(),
    two: join(),
    after,
    pass,
    sleep,
    settled,
    lose,
    standing,
    runners,
    record,
    state,
    quota,
    seen,
    keys,
  }
}

export type TestFleet = Awaited<ReturnType<typeof createFleet>>
export type Runner = TestFleet['one']
