import type { Clock } from '../../../src/clock.ts'
import { FleetProblem, type RedisLink, type RedisScript } from '../../../src/log/redis/redis-link.ts'
import { syncScript } from '../../../src/log/redis/scripts.ts'
import { between, type Random } from './random.ts'

interface KeptLog {
  entries: (readonly [id: string, field: string, text: string])[]
  last: string
  based: string
  base: string
}

/** What a server keeps of one fleet; all of it can be copied. */
interface Kept {
  epoch: string
  since: number
  logs: { quota: KeptLog; contents: KeptLog }
  heard: [runner: string, at: number][]
  quietAt: number
}

const emptyLog = (): KeptLog => ({ entries: [], last: '0-0', based: '0-0', base: '' })
const empty = (): Kept => {
  return { epoch: '', since: 0, logs: { quota: emptyLog(), contents: emptyLog() }, heard: [], quietAt: 0 }
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

const SETTLING_MS = 5_000

/**
 * The scripts of src/log/redis/scripts, for virtual time; without a record of uploads.
 * @param leaseMs a runner that was not heard of for so long is gone
 */
export function createSimulatedRedis(clock: Clock, leaseMs = 30_000): SimulatedRedis {
  let kept: Kept = empty()
  let calls = 0

  function append(to: KeptLog, now: number, field: string, text: string): void {
    const [ms, number] = parts(to.last)
    to.last = `${Math.max(ms, now)}-${number + 1}`
    to.entries.push([to.last, field, text])
  }

  /** Entries are in the order of their ids, and most calls ask for the last ones. */
  function entriesAfter({ entries }: KeptLog, id: string): KeptLog['entries'] {
    return entries.slice(entries.findLastIndex(([other]) => !isBefore(id, other)) + 1)
  }

  /** Appends to each log that is in use. */
  function mark(now: number, own: KeptLog, line: object): void {
    for (const log of Object.values(kept.logs)) {
      if (log === own || log.last !== '0-0') append(log, now, 'l', JSON.stringify(line))
    }
  }

  function prelude([runner = '', newEpoch = '', , damaged, name]: readonly string[]) {
    const own = kept.logs[name as 'quota']
    const newest = Object.values(kept.logs).map(({ last }) => parts(last)[0])
    const now = Math.max(Math.floor(clock.now()), ...newest)
    if (kept.epoch === '' || kept.epoch === damaged) {
      kept.epoch = newEpoch
      kept.since = now
      mark(now, own, { type: 'epoch' })
    }
    const silent = kept.heard.filter(([, at]) => at < now - leaseMs)
    const isQuiet = silent.length > 0 && kept.heard.every(([, at]) => at < now - (2 / 3) * leaseMs)
    if (isQuiet && now > kept.quietAt + 10 * leaseMs) kept.quietAt = now
    for (const [gone] of now < kept.quietAt + leaseMs / 3 ? [] : silent) {
      kept.heard = without(kept.heard, gone)
      mark(now, own, { type: 'gone', runner: gone })
    }
    kept.heard = [...without(kept.heard, runner), [runner, now]]
    return { now, own }
  }

  function sync(args: readonly string[]): unknown {
    const { now, own } = prelude(args)
    const [runner = '', , , , , epoch, after = '', condition = '', field = '', count, ...rest] = args
    const lines = rest.slice(0, Number(count))
    const hasMissed = epoch !== kept.epoch || isBefore(after, own.based)
    const isUnchanged = !hasMissed && after === own.last
    const isSettled = epoch === kept.epoch && now >= kept.since + SETTLING_MS
    const holds = { always: true, unchanged: isUnchanged, settled: isSettled }[condition] === true
    const done: Readonly<Record<string, () => void>> = {
      waits: () => {
        for (const name of lines) hear(name, now)
      },
      leave: () => {
        kept.heard = without(kept.heard, runner)
      },
    }
    if (holds) for (const line of lines) append(own, now, field, line)
    done[condition]?.()
    const [base, entries] = hasMissed ? [own.base, own.entries] : ['', entriesAfter(own, after)]
    const numbers = [now, kept.epoch, kept.since, own.last, kept.heard.length].map(String)
    return [...numbers, Number(holds), Number(hasMissed), own.based, base, entries, []]
  }

  function hear(runner: string, now: number): void {
    if (kept.heard.every(([one]) => one !== runner)) kept.heard.push([runner, now])
  }

  function compact(args: readonly string[]): unknown {
    const { own } = prelude(args)
    const [, , , , , epoch, based, upTo = '', text = ''] = args
    if (epoch !== kept.epoch || based !== own.based) return 0
    own.base = text
    own.based = upTo
    own.entries = entriesAfter(own, upTo)
    return 1
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
        const answer = script === syncScript ? sync(args) : compact(args)
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

function without<Value>(list: readonly [string, Value][], runner: string): [string, Value][] {
  return list.filter(([name]) => name !== runner)
}

function parts(id: string): readonly [number, number] {
  const [ms = 0, number = 0] = id.split('-').map(Number)
  return [ms, number]
}

function isBefore(id: string, other: string): boolean {
  const [[ms, number], [otherMs, otherNumber]] = [parts(id), parts(other)]
  return ms < otherMs || (ms === otherMs && number < otherNumber)
}
