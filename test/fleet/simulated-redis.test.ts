import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import { openRedisLink } from '../../src/log/redis/redis-client-link.ts'
import type { RedisLink } from '../../src/log/redis/redis-link.ts'
import { compactScript, fleetKeys, syncScript } from '../../src/log/redis/scripts.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { redisUrl } from '../helpers/redis-server.ts'
import { createSimulatedRedis } from '../pacing/simulation/simulated-redis.ts'

const instant: Clock = { ...systemClock, sleep: async () => {} }

const runner = fc.constantFrom('anna', 'ben', 'cleo', 'dan', 'eva')
const log = fc.constantFrom('quota', 'contents')
const step = fc.oneof(
  fc.record({
    type: fc.constantFrom('always', 'always', 'unchanged', 'never', 'settled', 'leave'),
    runner,
    log,
    lines: fc.array(fc.constantFrom('{"type":"a"}', '{"type":"b"}'), { maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('waits'), runner, log, lines: fc.array(runner, { maxLength: 2 }) }),
  fc.record({ type: fc.constant('compact'), runner, log }),
  fc.record({ type: fc.constant('damaged'), runner, log }),
)

/** What one runner knows of one log of one server. Times are left out of what is compared. */
function createMember(link: RedisLink, name: string, of: string) {
  let [epoch, last, based, damaged] = ['', '0-0', '0-0', '']
  const first = () => [name, randomBytes(6).toString('hex'), '', damaged, of]
  return {
    damage() {
      damaged = epoch
    },
    compact: () => link.run(compactScript, [...first(), epoch, based, last, 'short', '0']),
    async sync(condition: string, lines: readonly string[]) {
      const own = [epoch, last, condition, 'l', String(lines.length), ...lines]
      const answer = await link.run(syncScript, [...first(), ...own])
      const [, newEpoch, , newLast, runners, holds, isWhole, newBased, base, entries, recorded] = answer as unknown[]
      const isNew = newEpoch !== epoch
      ;[epoch, last, damaged] = [String(newEpoch), String(newLast), '']
      if (isWhole === 1) based = String(newBased)
      const rows = entries as readonly (readonly string[])[]
      const read = rows.map(([id = '', field, text]) => [id.split('-')[1], field, text])
      return { isNew, number: last.split('-')[1], runners, holds, isWhole, base, read, recorded }
    },
  }
}

test('the simulated Redis answers as the scripts do on a real one', async () => {
  const url = await redisUrl()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const keys = fleetKeys(randomBytes(8).toString('hex'))
      const real = openRedisLink({ url, keys, clock: patientClock })
      const simulated = createSimulatedRedis(instant).connect([0, 0], Math.random)
      const members = new Map<string, readonly ReturnType<typeof createMember>[]>()
      const membersOf = ({ runner: name, log: of }: { readonly runner: string; readonly log: string }) => {
        const key = `${name} ${of}`
        const known = members.get(key) ?? [createMember(real, name, of), createMember(simulated, name, of)]
        members.set(key, known)
        return known
      }
      try {
        for (const one of steps) {
          const pair = membersOf(one)
          if ('lines' in one) {
            const [a, b] = await Promise.all(pair.map((member) => member.sync(one.type, one.lines)))
            expect(b).toEqual(a)
          } else if (one.type === 'compact') {
            const [a, b] = await Promise.all(pair.map((member) => member.compact()))
            expect(b).toBe(a)
          } else for (const member of pair) member.damage()
        }
      } finally {
        await real.send(['DEL', ...keys])
        real.close()
      }
    }),
    { numRuns: 60 },
  )
})
