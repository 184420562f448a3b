import {
  aBoolean,
  anAmount,
  anObjectOf,
  aText,
  aWordOf,
  ifSound,
  type Kind,
  maybe,
  readJson,
  taggedOf,
  type ValueOf,
} from '../../checks/values.ts'
import { windowNames } from '../../protocol/rate-limits.ts'
import type { PacingOutcome } from '../pacer.ts'
import type { RateReport } from '../rate-headers.ts'

const aReport: Kind<RateReport> = anObjectOf({
  limit: maybe(anAmount),
  remaining: maybe(anAmount),
  resetAt: maybe(anAmount),
  cost: maybe(anAmount),
  serverNow: maybe(anAmount),
  isCostAlone: maybe(aBoolean),
})

const anOutcome: Kind<PacingOutcome> = taggedOf('type', {
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

const aRequest = {
  /** `<name of the ledger>.<number>` */
  id: aText,
  /** The run that added it. */
  run: aText,
  /** In epoch milliseconds, by the time of the store. */
  at: anAmount,
  /** In units. */
  cost: anAmount,
}

const aRow = taggedOf('type', {
  /** A request is about to be sent, under the id of its place if it had to wait. */
  reserve: aRequest,
  /** A request waits for room from here on; `reserve`, `settle` and `cancel` end that. */
  place: aRequest,
  settle: { id: aText, outcome: anOutcome },
  /** A reservation found no room after all, or a request does not wait any more. */
  cancel: { id: aText },
  /** What requests of some time ago were charged together, in units. */
  charge: { at: anAmount, cost: anAmount },
  /** Everything before it is forgotten, except requests under way. */
  forget: {},
  /** A server has lost rows: what was used shortly before is not known. */
  lost: { at: anAmount },
})

/** One event of a key's quota. What it adds up to depends on the order of all. */
export type QuotaRow = ValueOf<typeof aRow>
type RowOf<Type extends QuotaRow['type']> = Extract<QuotaRow, { readonly type: Type }>
export type ReserveRow = RowOf<'reserve'>
export type PlaceRow = RowOf<'place'>
export type SettleRow = RowOf<'settle'>
export type ChargeRow = RowOf<'charge'>

/** What a quota model counts. */
export type LedgerEntry = RowOf<'settle' | 'cancel' | 'charge'> | Omit<ReserveRow, 'run'>

/** Undefined for a row of another version; what that wrote into a field that may be absent does not count. */
export function parseRow(text: string): QuotaRow | undefined {
  return readJson(aRow, text)
}

/** The same row, of which nothing can be learned any more: what was charged still counts. */
export function unlearnedRow(row: QuotaRow): QuotaRow {
  if (row.type !== 'settle' || row.outcome.type !== 'answered') return row
  return { ...row, outcome: { type: 'unanswered', at: row.outcome.at } }
}
