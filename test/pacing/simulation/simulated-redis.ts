import type { Clock } from '../../../src/clock.ts'
import type { RedisLink, RedisScript } from '../../../src/log/redis/redis-link.ts'
import { quotaTurnScript } from '../../../src/log/redis/scripts.ts'
import { FleetProblem } from '../../../src/store/fleet-problem.ts'
import { between, type Random } from './random.ts'

/** What a server keeps of a key's quota; all of it can be copied. */
interface Kept {
  epoch: string
  since: number
  rows: (readonly [number: number, text: string])[]
  last: number
  based: number
  now: number
  marked: string
  leases: [run: string, until: number][]
}

const empty = (): Kept => {
  return { epoch: '', since: 0, rows: [], last: 0, based: 0, now: 0, marked: '', leases: [] }
}
export interface SimulatedRedis {
  /** A runner's way to it, with delays in milliseconds each way. */
  connect(delaysMs: readonly [number, number], random: Random): RedisLink
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
 * The scripts of the quota in src/log/redis/scripts, for virtual time.
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
  function isLostTo(epoch: string, seen: number, newEpoch: string): boolean {
    const isWhole = kept.epoch !== ''
    const isLost = epoch !== '' && (!isWhole || epoch !== kept.epoch || seen > kept.last)
    if (!isWhole || (isLost && epoch === kept.epoch)) Object.assign(kept, { epoch: newEpoch, since: kept.now })
    if (isLost && kept.marked !== kept.epoch) {
      kept.marked = kept.epoch
      add(JSON.stringify({ type: 'lost', at: kept.now }))
    }
    return isLost
  }

  function lease(run: string, what: string, isRun: boolean): void {
    const isOwn = (name: string) => name === run && what !== 'look'
    kept.leases = kept.leases.filter(([name, until]) => until >= kept.now && !isOwn(name))
    if (isRun) kept.leases.push([run, kept.now + leaseMs])
  }

  function turn([run = '', newEpoch = '', , epoch = '', seenText, what = '', ...rows]: readonly string[]): unknown {
    const seen = Number(seenText)
    kept.now = Math.max(Math.floor(clock.now()), kept.now)
    const isLost = isLostTo(epoch, seen, newEpoch)
    const isBehind = epoch === '' || (kept.based > 0 && seen <= kept.based)
    const news = isLost ? [] : kept.rows.filter(([number]) => isBehind || number > seen)
    const isRun = /^\d/.test(what)
    const isAdded = isRun && !isLost && !isBehind && (seen === kept.last || what.endsWith('+'))
    if (isAdded) for (const text of rows) add(text)
    lease(run, what, isRun)
    const numbers = [kept.now, kept.epoch, kept.since, kept.last].map(String)
    const texts = news.map(([, text]) => text)
    return [...numbers, ...[isAdded, isBehind, isLost].map(Number), texts, kept.leases.map(([name]) => name).sort()]
  }

  function replace([epoch, seen, ...rows]: readonly string[]): unknown {
    if (epoch === '' || epoch !== kept.epoch || seen !== String(kept.last)) return '0'
    kept.based = kept.last
    kept.rows = ['', ...rows].map((text, index) => [kept.based + 1 + index, text])
    kept.last += rows.length + 1
    return String(kept.last)
  }

  const simulated: SimulatedRedis = {
    isDown: false,
    connect: (delaysMs, random) => ({
      async run(script: RedisScript, args: readonly string[]) {
        calls += 1
        await clock.sleep(between(random, delaysMs))
        if (simulated.isDown) {
          await clock.sleep(1_000)
          throw new FleetProblem('unreachable', 'Redis is down')
        }
        const answer = script === quotaTurnScript ? turn(args) : replace(args)
        await clock.sleep(between(random, delaysMs))
        return answer
      },
      async send() {
        throw new Error('It runs scripts only')
      },
      close() {},
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
