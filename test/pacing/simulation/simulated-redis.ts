import type { Clock } from '../../../src/clock.ts'
import type { RedisConnection } from '../../../src/store/redis/connection.ts'
import { StoreError } from '../../../src/store/store-error.ts'
import { between, type Random } from './random.ts'

/** What a server keeps of a key's quota; all of it can be copied. */
interface Kept {
  epoch: string
  since: number
  rows: (readonly [number: number, text: string])[]
  last: number
  number: number
  now: number
  marked: string
  leases: [run: string, until: number][]
}

const empty = (): Kept => {
  return { epoch: '', since: 0, rows: [], last: 0, number: 0, now: 0, marked: '', leases: [] }
}
export interface SimulatedRedis {
  /** A runner's way to it, with delays in milliseconds each way. */
  connect(delaysMs: readonly [number, number], random: Random): Pick<RedisConnection, 'run'>
  /** Loses everything. */
  flush(): void
  /** What a dump would have. */
  dump(): string
  restore(dump: string): void
  /** While it is down no call gets an answer. */
  isDown: boolean
  calls(): number
}

/**
 * The steps of the quota in src/store/redis/account.lua, for virtual time.
 * @param leaseMs a runner that was not heard of for so long is gone
 */
export function createSimulatedRedis(clock: Clock, leaseMs = 30_000): SimulatedRedis {
  let kept: Kept = empty()
  let calls = 0

  function add(text: string): void {
    kept.last += 1
    kept.rows.push([kept.last, text])
  }

  /** @returns whether the run has to be told that rows were lost */
  function isLostTo(epoch: string, number: number, newEpoch: string): boolean {
    const isWhole = kept.epoch !== ''
    const isLost = epoch !== '' && (!isWhole || epoch !== kept.epoch || number > kept.number)
    if (!isWhole || (isLost && epoch === kept.epoch)) Object.assign(kept, { epoch: newEpoch, since: kept.now })
    if (isLost && kept.marked !== kept.epoch) {
      kept.marked = kept.epoch
      add(JSON.stringify({ type: 'lost', at: kept.now }))
    }
    return isLost
  }

  /** The steps of the quota. */
  function call([run = '', newEpoch = '', epoch = '', number = '', step = '', seenText, ...texts]: readonly string[]) {
    kept.now = Math.max(Math.floor(clock.now()), kept.now)
    const isLost = isLostTo(epoch, Number(number), newEpoch)
    kept.leases = kept.leases.filter(([, until]) => until >= kept.now)
    const live = kept.leases.map(([name]) => name).sort()
    const result = isLost || step === 'over' ? [] : [...turn(epoch, Number(seenText), step, texts), live]
    const isLooking = step === 'look' || step === 'replace'
    if (!isLost && !isLooking) kept.leases = kept.leases.filter(([name]) => name !== run)
    if (!isLost && !isLooking && step !== 'over') kept.leases.push([run, kept.now + leaseMs])
    kept.number += 1
    const numbers = [kept.number, kept.now, kept.since].map(String)
    return [isLost ? 'lost' : 'ok', kept.epoch, ...numbers, result]
  }

  function turn(epoch: string, seen: number, step: string, texts: readonly string[]) {
    const first = kept.rows[0]?.[0]
    const isBehind = epoch === '' || (first !== undefined && seen < first - 1)
    const news = kept.rows.filter(([number]) => isBehind || number > seen).map(([, text]) => text)
    const isAdded = !isBehind && step !== 'look' && (seen === kept.last || step === 'always')
    if (isAdded && step === 'replace') {
      kept.rows = []
      kept.last += 1
    }
    if (isAdded) for (const text of texts) add(text)
    return [String(kept.last), Number(isAdded), Number(isBehind), news]
  }

  const simulated: SimulatedRedis = {
    isDown: false,
    connect: (delaysMs, random) => ({
      async run(_: string, args: readonly string[]) {
        calls += 1
        await clock.sleep(between(random, delaysMs))
        if (simulated.isDown) {
          await clock.sleep(1_000)
          throw new StoreError('unreachable', 'Redis is down')
        }
        const answer = call(args)
        await clock.sleep(between(random, delaysMs))
        return answer
      },
    }),
    flush() {
      kept = empty()
    },
    dump: () => JSON.stringify(kept),
    restore(dump) {
      kept = JSON.parse(dump)
    },
    calls: () => calls,
  }
  return simulated
}
