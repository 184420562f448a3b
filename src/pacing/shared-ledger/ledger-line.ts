import {
  aBoolean,
  anAmount,
  anObjectOf,
  aText,
  aWordOf,
  type Fields,
  ifSound,
  type Kind,
  type KindsOf,
  readJson,
  taggedOf,
} from '../../checks/values.ts'
import { windowNames } from '../../protocol/rate-limits.ts'
import { type ProcessOwner, processOwner } from '../../system/process-identity.ts'
import type { LedgerEntry } from '../ledger.ts'
import type { PacingOutcome } from '../pacer.ts'
import type { RateReport } from '../rate-headers.ts'

/** One line of a ledger file: an entry, with the owner of a reservation, or a mark of the file itself. */
export type LedgerLine =
  | (Omit<Extract<LedgerEntry, { type: 'reserve' }>, 'afterSetting'> & {
      readonly owner: ProcessOwner
      /** Milliseconds since the machine was started, if the owner's clock has them. */
      readonly monotonic?: number
      /** The place that it was made for, if the request had to wait. */
      readonly place?: string
    })
  /** A request of this cost, in units, waits for room from here on; `cancel` ends that. */
  | {
      readonly type: 'place'
      readonly id: string
      readonly at: number
      readonly cost: number
      readonly owner: ProcessOwner
    }
  | Exclude<LedgerEntry, { type: 'reserve' }>
  /** Everything before it is forgotten, except requests under way. */
  | { readonly type: 'forget' }
  /** The length of the file when it replaced its predecessor. */
  | { readonly type: 'start'; readonly bytes: number }
  /** Later lines do not count: the ledger continues in the next file. */
  | { readonly type: 'seal' }

export type ReserveLine = Extract<LedgerLine, { type: 'reserve' }>

/** One line of ASCII JSON without line ends. A truncated line never parses as another line. */
export function formatLedgerLine(line: LedgerLine): string {
  return JSON.stringify(line)
}

/** Undefined for a line torn by a full disk or a kill, or written by another version. */
export function parseLedgerLine(text: string): LedgerLine | undefined {
  return readJson(ledgerLine, text)
}

const reportFields = {
  limit: ifSound(anAmount),
  remaining: ifSound(anAmount),
  resetAt: ifSound(anAmount),
  cost: ifSound(anAmount),
  serverNow: ifSound(anAmount),
  isCostAlone: ifSound(aBoolean),
} satisfies KindsOf<RateReport>

const outcome: Kind<PacingOutcome> = taggedOf('type', {
  answered: {
    at: anAmount,
    status: anAmount,
    report: ifSound(anObjectOf(reportFields), {}),
    refusedBy: ifSound(aWordOf(windowNames)),
    holdMs: ifSound(anAmount),
  },
  'not-sent': {},
  unanswered: { at: anAmount },
})

const request = { id: aText, at: anAmount, cost: anAmount, owner: processOwner }

/** The fields of each line. */
export const ledgerLines = {
  reserve: { ...request, monotonic: ifSound(anAmount), place: ifSound(aText) },
  place: request,
  settle: { id: aText, outcome },
  cancel: { id: aText },
  forget: {},
  start: { bytes: anAmount },
  seal: {},
} satisfies Record<LedgerLine['type'], Fields>

const ledgerLine: Kind<LedgerLine> = taggedOf('type', ledgerLines)
