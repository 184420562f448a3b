import type { Clock } from '../../../src/clock.ts'
import { FleetProblem, type RedisLink, type RedisScript } from '../../../src/fleet/redis-link.ts'
import { syncScript } from '../../../src/fleet/scripts.ts'
import { between, type Random } from './random.ts'

/** What a server keeps of one fleet; all of it can be copied. */
interface Kept {
  epoch: string
  since: number
  entries: (readonly [id: string, field: string, text: string])[]
  last: string
  based: string
  base: string
  heard: [runner: string, at: number][]
}

const empty: Kept = {
  epoch: '',
  since: 0,
  entries: [],
  last: '0-0',
  based: '0-0',
  base: '',
  heard: [],
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

const RUNNER_LEASE_MS = 30_000

/** The scripts of src/fleet/scripts, for virtual time. */
export function createSimulatedRedis(clock: Clock): SimulatedRedis {
  let kept: Kept = structuredClone(empty)
  let calls = 0

  function append(now: number, field: string, text: string): void {
    const [ms, number] = parts(kept.last)
    kept.last = `${Math.max(ms, now)}-${number + 1}`
    kept.entries.push([kept.last, field, text])
  }

  /** Entries are in the order of their ids, and most calls ask for the last ones. */
  function entriesAfter(id: string): Kept['entries'] {
    return kept.entries.slice(kept.entries.findLastIndex(([other]) => !isBefore(id, other)) + 1)
  }

  function prelude([runner = '', newEpoch = '', , damaged]: readonly string[]): number {
    const now = Math.max(Math.floor(clock.now()), parts(kept.last)[0])
    if (kept.epoch === '' || kept.epoch === damaged) {
      kept.epoch = newEpoch
      kept.since = now
      append(now, 'l', '{"type":"epoch"}')
    }
    for (const [gone] of kept.heard.filter(([, at]) => at < now - RUNNER_LEASE_MS)) {
      kept.heard = without(kept.heard, gone)
      append(now, 'l', JSON.stringify({ type: 'gone', runner: gone }))
    }
    kept.heard = [...without(kept.heard, runner), [runner, now]]
    return now
  }

  /** Appends the lines if the condition holds. */
  function appendIf(now: number, { hasMissed, condition, after, lines, field }: SyncCall): boolean {
    const holds = condition === 'always' || (condition === 'unchanged' && !hasMissed && after === kept.last)
    if (holds) for (const line of lines) append(now, field, line)
    return holds
  }

  function sync(args: readonly string[]): unknown {
    const now = prelude(args)
    const call = syncCall(args, kept)
    const { runner, condition, hasMissed, after } = call
    const holds = appendIf(now, call)
    if (condition === 'leave') kept.heard = without(kept.heard, runner)
    const entries = hasMissed ? kept.entries : entriesAfter(after)
    const numbers = [now, kept.epoch, kept.since, kept.last, kept.heard.length].map(String)
    return [...numbers, Number(holds), Number(hasMissed), kept.based, hasMissed ? kept.base : '', entries]
  }

  function compact(args: readonly string[]): unknown {
    prelude(args)
    const [, , , , epoch, based, upTo = '', text = ''] = args
    if (epoch !== kept.epoch || based !== kept.based) return 0
    kept.base = text
    kept.based = upTo
    kept.entries = entriesAfter(upTo)
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
      kept = structuredClone(empty)
    },
    dump: () => JSON.stringify(kept),
    restore(dump) {
      kept = JSON.parse(dump)
    },
    calls: () => calls,
  }
  return simulated
}

interface SyncCall {
  readonly runner: string
  readonly hasMissed: boolean
  readonly after: string
  readonly condition: string
  readonly field: string
  readonly lines: readonly string[]
}

function syncCall(args: readonly string[], { epoch, based }: Kept): SyncCall {
  const argument = (number: number) => args[number - 1] ?? ''
  const after = argument(6)
  return {
    runner: argument(1),
    hasMissed: argument(5) !== epoch || isBefore(after, based),
    after,
    condition: argument(7),
    field: argument(8),
    lines: args.slice(8),
  }
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
