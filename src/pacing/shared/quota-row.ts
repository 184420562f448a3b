import {
  aBoolean,
  anAmount,
  anObjectOf,
  aText,
  aWordOf,
  ifSound,
  maybe,
  readJson,
  taggedOf,
} from '../../checks/values.ts'
import { windowNames } from '../../protocol/rate-limits.ts'
import type { PacingOutcome } from '../pacer.ts'
import type { RateReport } from '../rate-headers.ts'

interface RequestRow {
  /** `<name of the ledger>.<number>` */
  readonly id: string
  /** The run that added it. */
  readonly run: string
  /** In epoch milliseconds, by the time of the store. */
  readonly at: number
  /** In units. */
  readonly cost: number
}

/** A request is about to be sent. */
export interface ReserveRow extends RequestRow {
  readonly type: 'reserve'
  /** Milliseconds since the machine was started, where all rows are of one machine and its clock has them. */
  readonly monotonic?: number | undefined
  /** The place that it was made for, if the request had to wait. */
  readonly place?: string | undefined
}

/** A request waits for room from here on; `cancel` ends that. */
export interface PlaceRow extends RequestRow {
  readonly type: 'place'
}

export interface SettleRow {
  readonly type: 'settle'
  readonly id: string
  readonly outcome: PacingOutcome
}

/** A reservation found no room after all, or a request does not wait any more. */
interface CancelRow {
  readonly type: 'cancel'
  readonly id: string
}

/** What requests of some time ago were charged together, in units. */
export interface ChargeRow {
  readonly type: 'charge'
  readonly at: number
  readonly cost: number
}

/** What a quota model counts. */
export type LedgerEntry =
  | SettleRow
  | CancelRow
  | ChargeRow
  | (Pick<ReserveRow, 'type' | 'id' | 'at' | 'cost'> & {
      /** Whether the clock was set since the previous reservation. */
      readonly afterSetting?: boolean
    })

/** One event of a key's quota. What it adds up to depends on the order of all. */
export type QuotaRow =
  | ReserveRow
  | PlaceRow
  | SettleRow
  | CancelRow
  | ChargeRow
  /** Everything before it is forgotten, except requests under way. */
  | { readonly type: 'forget' }
  /** A server has lost rows: what was used shortly before is not known. */
  | { readonly type: 'lost'; readonly at: number }

const aRequest = { id: aText, run: aText, at: anAmount, cost: anAmount }

const aReport = anObjectOf({
  limit: maybe(anAmount),
  remaining: maybe(anAmount),
  resetAt: maybe(anAmount),
  cost: maybe(anAmount),
  serverNow: maybe(anAmount),
  isCostAlone: maybe(aBoolean),
})

const anOutcome = taggedOf('type', {
  'not-sent': {},
  unanswered: { at: anAmount },
  answered: {
    at: anAmount,
    status: anAmount,
    report: ifSound(aReport, {}),
    refusedBy: ifSound(aWordOf(windowNames)),
    holdMs: ifSound(anAmount),
  },
})

const aRow = taggedOf('type', {
  reserve: { ...aRequest, monotonic: ifSound(anAmount), place: ifSound(aText) },
  place: aRequest,
  settle: { id: aText, outcome: anOutcome },
  cancel: { id: aText },
  charge: { at: anAmount, cost: anAmount },
  forget: {},
  lost: { at: anAmount },
})

/** Undefined for a row of another version; what that wrote into a field that may be absent does not count. */
export function parseRow(text: string): QuotaRow | undefined {
  return readJson(aRow, text)
}

/** When a request ended; undefined where it was not sent. */
export function dateOf({ outcome }: SettleRow): number | undefined {
  return outcome.type === 'not-sent' ? undefined : outcome.at
}

/** The same row by a clock that is so many milliseconds ahead. */
export function movedRow(row: QuotaRow, ms: number): QuotaRow {
  if (row.type === 'settle') {
    const { outcome } = row
    return outcome.type === 'not-sent' ? row : { ...row, outcome: { ...outcome, at: outcome.at + ms } }
  }
  return 'at' in row ? { ...row, at: row.at + ms } : row
}

/** The same row, of which nothing can be learned any more: what was charged still counts. */
export function unlearnedRow(row: QuotaRow): QuotaRow {
  if (row.type !== 'settle' || row.outcome.type !== 'answered') return row
  return { ...row, outcome: { type: 'unanswered', at: row.outcome.at } }
}

/** What a report says that holds at any time. */
export function lastingReport({ report }: Extract<PacingOutcome, { type: 'answered' }>): RateReport {
  const { cost, isCostAlone } = report
  return { ...(cost !== undefined && { cost }), ...(isCostAlone !== undefined && { isCostAlone }) }
}
