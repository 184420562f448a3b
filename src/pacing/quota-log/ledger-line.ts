import {
  aBoolean,
  anAmount,
  anObjectHaving,
  aText,
  aWordOf,
  ifSound,
  type Kind,
  type KindsOf,
  readJson,
  type TaggedOf,
  taggedOf,
} from '../../checks/values.ts'
import { windowNames } from '../../protocol/rate-limits.ts'
import { processOwner } from '../../system/process-identity.ts'
import type { PacingOutcome } from '../pacer.ts'
import type { RateReport } from '../rate-headers.ts'

const reportFields = {
  limit: ifSound(anAmount),
  remaining: ifSound(anAmount),
  resetAt: ifSound(anAmount),
  cost: ifSound(anAmount),
  serverNow: ifSound(anAmount),
  isCostAlone: ifSound(aBoolean),
} satisfies KindsOf<RateReport>

const answered = {
  at: anAmount,
  status: anAmount,
  report: ifSound(anObjectHaving(reportFields), {}),
  refusedBy: ifSound(aWordOf(windowNames)),
  holdMs: ifSound(anAmount),
}
const outcomes = { answered, 'not-sent': {}, unanswered: { at: anAmount } }
const outcome: Kind<PacingOutcome> = taggedOf('type', outcomes, anObjectHaving)

const request = { id: aText, at: anAmount, cost: anAmount, owner: processOwner }

/** The fields of each line: those of an entry, and of the owner of a request. */
export const ledgerLines = {
  reserve: {
    ...request,
    /** Milliseconds since the machine was started, if the owner's clock has them. */
    monotonic: ifSound(anAmount),
    /** The place that it was made for, if the request had to wait. */
    place: ifSound(aText),
  },
  /** A request of this cost, in units, waits for room from here on; `cancel` ends that. */
  place: request,
  settle: { id: aText, outcome },
  cancel: { id: aText },
  /** Everything before it is forgotten, except requests under way. */
  forget: {},
}

/** One line of a ledger file. */
export type LedgerLine = TaggedOf<'type', typeof ledgerLines>

export type ReserveLine = Extract<LedgerLine, { type: 'reserve' }>

const ledgerLine = taggedOf('type', ledgerLines, anObjectHaving)

/** One line of ASCII JSON without line ends. A truncated line never parses as another line. */
export function formatLedgerLine(line: LedgerLine): string {
  return JSON.stringify(line)
}

/** Undefined for a line torn by a full disk or a kill, or written by another version. */
export function parseLedgerLine(text: string): LedgerLine | undefined {
  return readJson(ledgerLine, text)
}
