import { type Clock, steadyMs } from '../../clock.ts'
import type { LedgerFold } from '../quota-log/ledger-fold.ts'
import { datedAt, type LedgerLine } from '../quota-log/ledger-line.ts'
import { type LogHomeOptions, type OwnLines, openLogHome, type QuotaLog } from '../quota-log/quota-home.ts'
import { createSeededReader } from './cut-off-log.ts'
import type { Stretch } from './stretched-model.ts'

/** A fact that Redis is to hear of, and when it was so by the clock's monotonic time: the clock may be set meanwhile. */
export interface Untold {
  readonly line: LedgerLine
  readonly since: number
}

interface OutageOptions extends LogHomeOptions {
  readonly fold: LedgerFold
  readonly holder: OwnLines
  /** What was known of the fleet, sorted by date and dated by this machine's clock. */
  readonly seed: readonly LedgerLine[]
  readonly stretch: Stretch
  /** Requests of this runner that the fleet knows to be under way. */
  readonly begun: ReadonlySet<string>
  /** From 0 to below 1. */
  readonly random: () => number
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/** Redis is gone: a log of this process, or of this machine, has what is new. */
export function createOutage({ fold, holder, seed, stretch, begun, random, ...options }: OutageOptions) {
  const { clock } = options
  const reader = createSeededReader(fold, seed)
  const untold: Untold[] = []
  let isOver = false
  /** Requests that were under way at the return: the log of this machine is told of their ends, too. */
  let open: ReadonlySet<string> = new Set()
  let pauseMs = FIRST_PAUSE_MS
  /** By the clock's monotonic time. */
  let nextTryAt = 0

  const apart = openLogHome(
    options,
    { deliver: (line) => isOver || reader.deliver(line), restart: () => isOver || reader.restart() },
    fold,
    {
      missing() {
        if (isOver) return []
        reader.catchUp()
        return remembered(holder.missing(true))
      },
      isIdle: () => (isOver ? open.size === 0 : holder.isIdle()),
    },
  )

  function remembered(lines: readonly LedgerLine[]): readonly LedgerLine[] {
    untold.push(...lines.map((line) => ({ line, since: steadyMs(clock) })))
    return lines
  }

  /** Spreads the tries of runners that were cut off together. */
  function postpone(): void {
    nextTryAt = steadyMs(clock) + pauseMs * (0.75 + random() / 2)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }

  postpone()
  return {
    stretch,
    begun,
    /** What Redis is to hear of. */
    untold,
    postpone,
    /** Milliseconds until Redis is tried again. */
    dueInMs: () => nextTryAt - steadyMs(clock),
    /** Begins to count apart. */
    begin: () => reader.catchUp(),
    log: {
      ...apart,
      async read() {
        await apart.read()
        reader.catchUp()
      },
      async append(lines) {
        const appended = apart.append(lines)
        remembered(lines)
        await appended
        reader.catchUp()
      },
    } satisfies QuotaLog,
    /** Redis is back. @param underWay requests of this runner @param places where it waits */
    end(underWay: readonly string[], places: readonly string[]): void {
      isOver = true
      open = new Set(underWay)
      void apart.append(places.map((id) => ({ type: 'cancel', id })))
      apart.close()
    },
    /** Some of the requests that were under way at the return have ended. */
    told(lines: readonly LedgerLine[]): void {
      const ends = lines.filter((line) => line.type !== 'reserve' && 'id' in line && open.has(line.id))
      if (ends.length === 0) return
      const ended = new Set(ends.flatMap((line) => ('id' in line ? line.id : [])))
      open = new Set([...open].filter((id) => !ended.has(id)))
      void apart.append(ends.map((line) => datedAt(line, clock.now())))
    },
    /** Another outage has the same log. */
    forget(): void {
      open = new Set()
      apart.close()
    },
  }
}

export type Outage = ReturnType<typeof createOutage>

/** A fact as of the time of a clock. @param now by that clock */
export function untoldAt({ line, since }: Untold, now: number, clock: Clock): LedgerLine {
  return datedAt(line, now - (steadyMs(clock) - since))
}
