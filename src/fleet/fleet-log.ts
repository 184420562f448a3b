import { randomBytes } from 'node:crypto'
import { type Clock, steadyMs } from '../clock.ts'
import { compacted, createHistory, missingFrom, sorted } from './fleet-history.ts'
import { type DatedLine, type FleetLine, formatDated, formatLine, lineName } from './fleet-line.ts'
import { createFleetTurns } from './in-turn.ts'
import { type AppendCondition, type LogAnswer, parseLogAnswer } from './log-answer.ts'
import { FleetProblem, type RedisLink } from './redis-link.ts'
import { compactScript, syncScript } from './scripts.ts'

export interface FleetLogOptions {
  readonly link: Pick<RedisLink, 'run'>
  readonly clock: Clock
  /** Called with each new line, in the order of dates. */
  readonly deliver: (line: DatedLine) => void
  /** Called with all lines instead, when earlier ones came to light. */
  readonly rebuild: (lines: readonly DatedLine[]) => void
}

/** The log that all runners of a key write to, as one of them sees it. All calls throw FleetProblem. */
export interface FleetLog {
  /** Names this process among the runners of the key. */
  readonly runner: string
  /** Fetches what is new. */
  read(): Promise<void>
  /** Appends lines, and fetches what is new, these lines included. */
  append(lines: readonly FleetLine[]): Promise<void>
  /** Adds lines with dates of their own that the log does not have. */
  merge(lines: readonly DatedLine[]): Promise<void>
  /** All lines that this runner knows, by date. */
  lines(): readonly DatedLine[]
  /** The fleet's time, in epoch milliseconds: that of Redis, never ahead of it. */
  now(): number
  /** What the fleet's time differs from this machine's clock, in milliseconds. */
  aheadMs(): number
  /** Runners that were heard of lately; undefined before the first answer. */
  runners(): number | undefined
  /** When Redis last answered, by the clock's monotonic time; undefined before the first answer. */
  heardAt(): number | undefined
  /** The memory of the fleet, and since when it is whole, by the fleet's time. */
  epoch(): { readonly name: string; readonly since: number }
  /** The first arguments of every script. */
  scriptArguments(): readonly string[]
  /** Until then other runners may still tell what Redis has lost, by the fleet's time. */
  restsUntil(): number
  /** Tells the others that this runner is done. */
  leave(): Promise<void>
}

/** A log of more entries is compacted. */
const COMPACT_FROM = 4_000
/** Spreads the compactions of runners that have read the same entries. */
const COMPACT_JITTER = 400
/** More lines go in several calls, so that no call blocks Redis for long. */
const LINES_PER_CALL = 1_000
/** After a longer silence a machine may have slept, so its expectation of the time is worth nothing. */
const EXPECTS_FOR_MS = 10_000
/** The link gives up an answer that takes longer, but for a process that stood still. */
const LONGEST_ANSWER_MS = 2_000
/** Each runner that waits reads the log within this time. */
const RESTS_FOR_MS = 15_000
const BETWEEN_RESTS_MS = 60_000
/** Other runners may repair the log at the same time. */
const MOST_TRIES = 50

export function openFleetLog({ link, clock, deliver, rebuild }: FleetLogOptions): FleetLog {
  const runner = randomBytes(9).toString('base64url')
  const history = createHistory()
  const compactFrom = COMPACT_FROM + Math.floor(Math.random() * COMPACT_JITTER)
  let last = '0-0'
  let based = '0-0'
  let epoch = { name: '', since: 0 }
  let damaged = ''
  let entriesRead = 0
  let runners: number | undefined
  let restsUntil = Number.NEGATIVE_INFINITY
  let heardAt: number | undefined
  /** The fleet's time minus the clock's monotonic time. */
  let offsetMs = 0
  /** Lines that the log has lost, or never had, by their names. */
  const toMerge = new Map<string, DatedLine>()
  /** One call at a time: answers are taken in the order in which Redis gave them. */
  const inTurn = createFleetTurns()

  const now = () => steadyMs(clock) + offsetMs

  function scriptArguments(): readonly string[] {
    const isExpected = heardAt !== undefined && steadyMs(clock) - heardAt < EXPECTS_FOR_MS
    return [runner, randomBytes(9).toString('base64url'), isExpected ? now().toFixed(0) : '', damaged]
  }

  async function exchange(condition: AppendCondition, texts: readonly string[] = [], field = 'l'): Promise<void> {
    const own = [epoch.name, last, condition, field, ...texts]
    const sentAt = steadyMs(clock)
    const answer = parseLogAnswer(await link.run(syncScript, [...scriptArguments(), ...own]))
    if (answer === undefined) throw new FleetProblem('failed', 'Redis answered with something else than the log')
    heardAt = steadyMs(clock)
    // A process that stood still takes an old answer, whose time has passed.
    offsetMs = answer.now - Math.min(heardAt, sentAt + LONGEST_ANSWER_MS)
    runners = answer.runners
    take(answer)
  }

  function take(answer: LogAnswer): void {
    damaged = ''
    const isSame = answer.epoch === epoch.name
    if (isSame && !answer.isWhole && hasGap(answer)) {
      // An older state of Redis took over: a new epoch tells the others.
      damaged = epoch.name
      return
    }
    last = answer.last
    if (answer.isWhole) takeWhole(answer, isSame)
    else takeNew(answer.entries)
  }

  /** Entries are numbered without a gap. */
  function hasGap({ entries, last: newest, firstNumber }: LogAnswer): boolean {
    return entries.length === 0 ? newest !== last : firstNumber !== numberOf(last) + 1
  }

  function takeNew(entries: readonly DatedLine[]): void {
    entriesRead += entries.length
    const { added, inOrder } = history.add(entries)
    if (inOrder) for (const line of added) deliver(line)
    else rebuild(allLines())
  }

  /** The whole log: at first, after a compaction by another runner, or after a loss. */
  function takeWhole(answer: LogAnswer, isSame: boolean): void {
    const lines = [...answer.base, ...answer.entries]
    const missing = isSame ? [] : missingFrom(lines, history.lines(), answer.now)
    // A Redis that loses its memory again and again would hold everyone back for ever.
    const rests = !isSame && epoch.name !== '' && answer.now > restsUntil + BETWEEN_RESTS_MS
    if (rests) restsUntil = answer.now + RESTS_FOR_MS
    epoch = { name: answer.epoch, since: answer.since }
    based = answer.based
    entriesRead = answer.entries.length
    history.replace(lines)
    expectMissing(missing)
    rebuild(allLines())
  }

  function expectMissing(lines: readonly DatedLine[]): void {
    for (const line of lines) toMerge.set(lineName(line), line)
  }

  function allLines(): readonly DatedLine[] {
    if (toMerge.size === 0) return history.lines()
    return sorted([...history.lines(), ...unmerged()])
  }

  /** Lines to merge that the log does not have yet. */
  function unmerged(): readonly DatedLine[] {
    return missingFrom(history.lines(), [...toMerge.values()], now())
  }

  /** Reads until the log has all that this runner holds. */
  async function repaired(): Promise<void> {
    for (let tries = 0; damaged !== '' || toMerge.size > 0; tries += 1) {
      if (tries === MOST_TRIES) throw new FleetProblem('failed', 'The log in Redis keeps changing')
      const chunk = unmerged().slice(0, LINES_PER_CALL)
      if (damaged === '' && chunk.length === 0) return toMerge.clear()
      // What is appended comes back with the next entries.
      await exchange('unchanged', damaged === '' ? chunk.map(formatDated) : [], 'm')
    }
  }

  async function exchangeAndRepair(condition: AppendCondition, texts: readonly string[] = []): Promise<void> {
    await exchange(condition, texts)
    await repaired()
    if (entriesRead > compactFrom) await compact()
  }

  /** Makes the log shorter, unless another runner just has, and what this runner holds in any case. */
  async function compact(): Promise<void> {
    const lines = compacted(history.lines(), now())
    const text = lines.map(formatDated).join('\n')
    const isOurs = await link.run(compactScript, [...scriptArguments(), epoch.name, based, last, text])
    if (isOurs === 1) based = last
    entriesRead = 0
    history.replace(lines)
    rebuild(allLines())
  }

  return {
    runner,
    now,
    scriptArguments,
    aheadMs: () => now() - clock.now(),
    runners: () => runners,
    heardAt: () => heardAt,
    epoch: () => epoch,
    restsUntil: () => restsUntil,
    lines: allLines,
    read: () => inTurn(() => exchangeAndRepair('never')),
    append: (lines) => inTurn(() => exchangeAndRepair('always', lines.map(formatLine))),
    merge: (lines) =>
      inTurn(async () => {
        await exchange('never')
        expectMissing(lines)
        await repaired()
      }),
    leave: () => inTurn(() => exchange('leave')),
  }
}

function numberOf(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1))
}
