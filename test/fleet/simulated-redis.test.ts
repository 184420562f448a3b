import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import script from '../../src/store/redis/account.lua?text'
import { RedisConnection } from '../../src/store/redis/connection.ts'
import { accountKeys } from '../../src/store/redis/session.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { redisUrl } from '../helpers/redis-server.ts'
import { createSimulatedRedis } from '../pacing/simulation/simulated-redis.ts'

const instant: Clock = { ...systemClock, sleep: async () => {} }

const runner = fc.constantFrom('anna', 'ben', 'cleo', 'dan', 'eva')
const quotaStep = fc.record({
  type: fc.constantFrom('add', 'add', 'add', 'always', 'always', 'look', 'over', 'replace', 'forget', 'flush'),
  runner,
  rows: fc.array(fc.constantFrom('{"type":"a"}', '{"type":"b"}'), { minLength: 1, maxLength: 3 }),
})

/** What one run knows of the quota on one server. Times are left out of what is compared. */
const forgetting = "return redis.call('DEL', unpack(KEYS))"

function createQuotaMember(link: Pick<RedisConnection, 'run'>, name: string) {
  let [epoch, number, seen] = ['', '0', '0']
  return {
    forget() {
      ;[epoch, number, seen] = ['', '0', '0']
    },
    async call(step: string, rows: readonly string[]) {
      const given = [name, randomBytes(6).toString('hex'), epoch, number, step]
      const own = step === 'over' ? [] : [seen, ...(step === 'look' ? [] : rows)]
      const [state, newEpoch, newNumber, , , found] = (await link.run(script, [...given, ...own])) as readonly unknown[]
      const isNew = newEpoch !== epoch
      if (state === 'lost') this.forget()
      else [epoch, number] = [String(newEpoch), String(newNumber)]
      if (state === 'lost' || step === 'over') return { isNew, state, newNumber }
      const [last, isAdded, isBehind, news, live] = found as readonly unknown[]
      seen = String(last)
      const read = (news as readonly string[]).map((text) => text.replace(/"at":\d+/, ''))
      return { isNew, state, newNumber, last, isAdded, isBehind, read, live: [...(live as string[])].sort() }
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
  return await Promise.all(pair.map((member) => member.call(type, rows)))
}

test('the simulated Redis answers as the scripts of the quota do on a real one', async () => {
  const url = await redisUrl()
  await fc.assert(
    fc.asyncProperty(fc.array(quotaStep, { maxLength: 40, size: 'max' }), async (steps) => {
      const keys = accountKeys(randomBytes(8).toString('hex'))
      const real = new RedisConnection({ url, keys, clock: patientClock })
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
          await real.run(forgetting, [])
          server.flush()
        }
      } finally {
        await real.run(forgetting, [])
        real.close()
      }
    }),
    { numRuns: 60 },
  )
})
