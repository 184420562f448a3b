import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import { openRedisLink } from '../../src/log/redis/redis-client-link.ts'
import type { RedisLink } from '../../src/log/redis/redis-link.ts'
import { fleetKeys, quotaReplaceScript, quotaTurnScript } from '../../src/log/redis/scripts.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { redisUrl } from '../helpers/redis-server.ts'
import { createSimulatedRedis } from '../pacing/simulation/simulated-redis.ts'

const instant: Clock = { ...systemClock, sleep: async () => {} }

const runner = fc.constantFrom('anna', 'ben', 'cleo', 'dan', 'eva')
const quotaStep = fc.record({
  type: fc.constantFrom('turn', 'turn', 'turn', 'always', 'always', 'look', 'leave', 'replace', 'forget', 'flush'),
  runner,
  rows: fc.array(fc.constantFrom('{"type":"a"}', '{"type":"b"}'), { maxLength: 3 }),
})

/** What one run knows of the quota on one server. Times are left out of what is compared. */
function createQuotaMember(link: RedisLink, name: string) {
  let [epoch, seen] = ['', '0']
  return {
    forget() {
      ;[epoch, seen] = ['', '0']
    },
    replace: (rows: readonly string[]) => link.run(quotaReplaceScript, [epoch, seen, ...rows]),
    async turn(what: string, rows: readonly string[]) {
      const given = [name, randomBytes(6).toString('hex'), '', epoch, seen, what, ...rows]
      const [, newEpoch, , last, isAdded, isBehind, isLost, news, live] = (await link.run(
        quotaTurnScript,
        given,
      )) as readonly unknown[]
      const isNew = newEpoch !== epoch
      ;[epoch, seen] = isLost === 1 ? ['', '0'] : [String(newEpoch), String(last)]
      const read = (news as readonly string[]).map((text) => text.replace(/"at":\d+/, ''))
      return { isNew, last, isAdded, isBehind, isLost, read, live: [...(live as string[])].sort() }
    },
  }
}

type QuotaMembers = readonly ReturnType<typeof createQuotaMember>[]

/** What each of the two servers says to one step. */
async function playQuota(
  { type, rows }: { readonly type: string; readonly rows: readonly string[] },
  pair: QuotaMembers,
) {
  if (type === 'forget') return pair.map((member) => member.forget())
  if (type === 'replace') return await Promise.all(pair.map((member) => member.replace(rows)))
  const what = { turn: String(rows.length), always: `${rows.length}+` }[type] ?? type
  return await Promise.all(pair.map((member) => member.turn(what, rows)))
}

test('the simulated Redis answers as the scripts of the quota do on a real one', async () => {
  const url = await redisUrl()
  await fc.assert(
    fc.asyncProperty(fc.array(quotaStep, { maxLength: 40, size: 'max' }), async (steps) => {
      const keys = fleetKeys(randomBytes(8).toString('hex'))
      const real = openRedisLink({ url, keys, clock: patientClock })
      const server = createSimulatedRedis(instant)
      const simulated = server.connect([0, 0], Math.random)
      const members = new Map<string, QuotaMembers>()
      try {
        for (const step of steps) {
          const name = step.runner
          const pair = members.get(name) ?? [createQuotaMember(real, name), createQuotaMember(simulated, name)]
          members.set(name, pair)
          if (step.type !== 'flush') {
            const [a, b] = await playQuota(step, pair)
            expect(b).toEqual(a)
            continue
          }
          await real.send(['DEL', ...keys])
          server.flush()
        }
      } finally {
        await real.send(['DEL', ...keys])
        real.close()
      }
    }),
    { numRuns: 60 },
  )
})
