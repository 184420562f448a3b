import { randomBytes } from 'node:crypto'
import { type Clock, steadyMs } from '../../clock.ts'
import type { Heartbeat } from './heartbeat.ts'
import { createHistory, type Dated, type LogForm } from './history.ts'
import { createFleetTurns } from './in-turn.ts'
import { type AppendCondition, formatDated, type LogAnswer, parseLogAnswer } from './log-answer.ts'
import { FleetProblem, type RedisLink } from './redis-link.ts'
import { compactScript, syncScript } from './scripts.ts'

export interface FleetLogOptions<Line> {
  readonly form: LogForm<Line>
  readonly link: Pick<RedisLink, 'run'>
  readonly clock: Clock
  /** Names this process among the runners of the key. Default: a name of its own. */
  readonly runner?: string
  /** Called with each new line, in the order that counts. */
  readonly deliver: (line: Dated<Line>) => void
  /** Called with all lines instead, when earlier ones came to light. */
  readonly rebuild: (lines: readonly Dated<Line>[]) => void
  /** Lines that this runner remembers beyond those of the log, for one that has lost them. */
  readonly remembered?: () => readonly Dated<Line>[]
}

export interface Asked {
  /** Default: always. */
  readonly condition?: AppendCondition
  /** Of the record, as sync.lua names them. */
  readonly fields?: readonly string[] | undefined
}

export interface Told {
  /** Whether the lines were appended. */
  readonly holds: boolean
  /** For each field of the record what it has; '' for nothing. */
  readonly recorded: readonly string[]
}

/** Spreads the compactions of runners that have read the same entries: a tenth. */
const COMPACT_JITTER = 0.1
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

/** A log that all runners of a key write to, as one of them sees it. All its calls throw FleetProblem. */
export function openFleetLog<Line>(options: FleetLogOptions<Line>) {
  const { form, link, clock, runner = newRunner(), deliver, rebuild, remembered = () => [] } = options
  const history = createHistory(form)
  const compactFrom = form.compactFrom * (1 + Math.random() * COMPACT_JITTER)
  let last = '0-0'
  let based = '0-0'
  let epoch = { name: '', since: 0 }
  let damaged = ''
  let entriesRead = 0
  let runners: number | undefined
  /** What a compaction has left is not left out by the next one either. */
  let oldestKept: number | undefined
  let restsUntil = Number.NEGATIVE_INFINITY
  let heardAt: number | undefined
  /** The fleet's time minus the clock's monotonic time. */
  let offsetMs = 0
  /** Lines that the log has lost, or never had, by their names. */
  const toMerge = new Map<string, Dated<Line>>()
  /** One call at a time: answers are taken in the order in which Redis gave them. */
  const inTurn = createFleetTurns()

  const now = () => steadyMs(clock) + offsetMs

  function scriptArguments(): readonly string[] {
    const isExpected = heardAt !== undefined && steadyMs(clock) - heardAt < EXPECTS_FOR_MS
    return [runner, newRunner(), isExpected ? now().toFixed(0) : '', damaged, form.log]
  }

  async function exchange(
    condition: AppendCondition,
    { texts = [], field = 'l', fields = [] }: Appended = {},
  ): Promise<Told> {
    const own = [epoch.name, last, condition, field, String(texts.length), ...texts, ...fields]
    const sentAt = steadyMs(clock)
    const answer = parseLogAnswer(await link.run(syncScript, [...scriptArguments(), ...own]), form.parse)
    if (answer === undefined) throw new FleetProblem('failed', 'Redis answered with something else than the log')
    heardAt = steadyMs(clock)
    // A process that stood still takes an old answer, whose time has passed.
    offsetMs = answer.now - Math.min(heardAt, sentAt + LONGEST_ANSWER_MS)
    runners = answer.runners
    take(answer)
    return answer
  }

  function take(answer: LogAnswer<Line>): void {
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
  function hasGap({ last: newest, firstNumber }: LogAnswer<Line>): boolean {
    return firstNumber === undefined ? newest !== last : firstNumber !== numberOf(last) + 1
  }

  function takeNew(entries: readonly Dated<Line>[]): void {
    entriesRead += entries.length
    const { added, isLater } = history.add(entries)
    // Lines that wait to be merged were delivered already, and come back here as entries.
    if (isLater && toMerge.size === 0) for (const line of added) deliver(line)
    else rebuild(allLines())
  }

  /** The whole log: at first, after a compaction by another runner, or after a loss. */
  function takeWhole(answer: LogAnswer<Line>, isSame: boolean): void {
    const lines = [...answer.base, ...answer.entries]
    const missing = isSame ? [] : form.missing(lines, [...history.lines(), ...remembered()], answer.now)
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

  function expectMissing(lines: readonly Dated<Line>[]): void {
    for (const line of lines) toMerge.set(form.name(line), line)
  }

  function allLines(): readonly Dated<Line>[] {
    if (toMerge.size === 0) return history.lines()
    return history.inOrder([...history.lines(), ...unmerged()])
  }

  /** Lines to merge that the log does not have yet. */
  function unmerged(): readonly Dated<Line>[] {
    return form.missing(history.lines(), [...toMerge.values()], now())
  }

  /** Reads until the log has all that this runner holds. */
  async function repaired(): Promise<void> {
    for (let tries = 0; damaged !== '' || toMerge.size > 0; tries += 1) {
      if (tries === MOST_TRIES) throw new FleetProblem('failed', 'The log in Redis keeps changing')
      const chunk = unmerged().slice(0, LINES_PER_CALL)
      if (damaged === '' && chunk.length === 0) return toMerge.clear()
      // What is appended comes back with the next entries.
      await exchange('unchanged', { texts: damaged === '' ? chunk.map(formatDated) : [], field: 'm' })
    }
  }

  async function exchangeAndRepair(condition: AppendCondition, appended?: Appended): Promise<Told> {
    const told = await exchange(condition, appended)
    await repaired()
    const oldest = history.lines()[0]?.at ?? now()
    const isOverdue = oldest < now() - form.keptMs && oldest !== oldestKept
    if (entriesRead > compactFrom || isOverdue) await compact()
    return told
  }

  /** Makes the log shorter, unless another runner just has: then this one reads all of that. */
  async function compact(): Promise<void> {
    const { lines, record } = form.compact(history.lines(), now())
    const text = lines.map(formatDated).join('\n')
    const isOurs = await link.run(compactScript, [...scriptArguments(), epoch.name, based, last, text, ...record])
    entriesRead = 0
    if (isOurs !== 1) last = '0-0'
    if (isOurs !== 1) return
    based = last
    oldestKept = lines[0]?.at
    history.replace(lines)
    rebuild(allLines())
  }

  return {
    /** Names this process among the runners of the key. */
    runner,
    /** The fleet's time, in epoch milliseconds: that of Redis, never ahead of it. */
    now,
    /** What the fleet's time differs from this machine's clock, in milliseconds. */
    aheadMs: () => now() - clock.now(),
    /** Runners that were heard of lately; undefined before the first answer. */
    runners: () => runners,
    /** When Redis last answered, by the clock's monotonic time; undefined before the first answer. */
    heardAt: () => heardAt,
    /** The memory of the fleet, and since when it is whole, by the fleet's time. */
    epoch: () => epoch,
    /** Until then other runners may still tell what Redis has lost, by the fleet's time. */
    restsUntil: () => restsUntil,
    /** All lines that this runner knows, in the order that counts. */
    lines: allLines,
    /** Fetches what is new. */
    read: async () => void (await inTurn(() => exchangeAndRepair('never'))),
    /** Appends lines, and fetches what is new, these lines included. */
    async append(lines: readonly Line[]) {
      const texts = lines.map((line) => JSON.stringify(line))
      await inTurn(() => exchangeAndRepair('always', { texts }))
    },
    /** Appends lines with dates of their own if a condition holds, fetches what is new, and asks the record. */
    tell: (lines: readonly Dated<Line>[], { condition = 'always', fields }: Asked = {}) =>
      inTurn(() => exchangeAndRepair(condition, { texts: lines.map(formatDated), field: 'm', fields })),
    /** Fetches what is new. Those runners are waited for: one that is not heard of counts as gone after 30 s. */
    waitFor: async (texts: readonly string[]) => void (await inTurn(() => exchangeAndRepair('waits', { texts }))),
    /** Adds lines with dates of their own that the log does not have. */
    merge: (lines: readonly Dated<Line>[]) =>
      inTurn(async () => {
        await exchange('never')
        expectMissing(lines)
        await repaired()
      }),
    /** Tells the others that this runner is done. */
    leave: async () => void (await inTurn(() => exchange('leave'))),
  }
}

export type FleetLog<Line> = ReturnType<typeof openFleetLog<Line>>

export interface OpenLog<Line> {
  readonly log: FleetLog<Line>
  readonly heartbeat: Heartbeat
}

interface Appended extends Pick<Asked, 'fields'> {
  readonly texts?: readonly string[]
  /** How the lines are dated, as sync.lua has it. */
  readonly field?: 'l' | 'm'
}

function newRunner(): string {
  return randomBytes(9).toString('base64url')
}

function numberOf(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1))
}
