import { isObject, parseJson } from '../../checks/json.ts'
import { type WindowName, windowNames } from '../../protocol/rate-limits.ts'
import type { ProcessOwner } from '../../system/process-identity.ts'
import type { PacingOutcome } from '../pacer.ts'
import type { RateReport } from '../rate-headers.ts'

interface RequestLine {
  readonly id: string
  /** In epoch milliseconds. */
  readonly at: number
  /** In units. */
  readonly cost: number
  readonly owner: ProcessOwner
}

export interface ReserveLine extends RequestLine {
  readonly type: 'reserve'
  /** Milliseconds since the machine was started, if the owner's clock has them. */
  readonly monotonic?: number | undefined
  /** The place that it was made for, if the request had to wait. */
  readonly place?: string | undefined
}

/** A request waits for room from here on; `cancel` ends that. */
export interface PlaceLine extends RequestLine {
  readonly type: 'place'
}

/** One line of a ledger file. */
export type LedgerLine =
  | ReserveLine
  | PlaceLine
  | { readonly type: 'settle'; readonly id: string; readonly outcome: PacingOutcome }
  | { readonly type: 'cancel'; readonly id: string }
  /** Everything before it is forgotten, except requests under way. */
  | { readonly type: 'forget' }

/** When a request began, or ended; undefined for a line that has no date. */
export function dateOf(line: LedgerLine): number | undefined {
  if (line.type === 'reserve' || line.type === 'place') return line.at
  return line.type === 'settle' && line.outcome.type !== 'not-sent' ? line.outcome.at : undefined
}

/** The same line with another date, of which the machine's monotonic time says nothing. */
export function datedAt(line: LedgerLine, at: number): LedgerLine {
  if (line.type === 'place') return { ...line, at }
  if (line.type === 'reserve') return { ...line, at, monotonic: undefined }
  if (line.type !== 'settle' || line.outcome.type === 'not-sent') return line
  return { ...line, outcome: { ...line.outcome, at } }
}

/** The same line, written so long after it that of an answer only that counts which holds at any time. */
export function lateLine(line: LedgerLine, at: number): LedgerLine {
  if (line.type !== 'settle' || line.outcome.type !== 'answered') return datedAt(line, at)
  return { ...line, outcome: { ...line.outcome, at, report: lastingReport(line.outcome) } }
}

/** What a report says that holds at any time. */
export function lastingReport({
  report: { cost, isCostAlone },
}: Extract<PacingOutcome, { type: 'answered' }>): RateReport {
  return { ...(cost !== undefined && { cost }), ...(isCostAlone !== undefined && { isCostAlone }) }
}

/** One line of ASCII JSON without line ends. A truncated line never parses as another line. */
export function formatLedgerLine(line: LedgerLine): string {
  return JSON.stringify(line)
}

/** Undefined for a line torn by a full disk or a kill, or written by another version. */
export function parseLedgerLine(text: string): LedgerLine | undefined {
  return asLedgerLine(parseJson(text))
}

/**
 * Undefined for a line of another version; what that wrote into a field that may be absent does not count. Written by hand,
 * because V8 compiles what reads some hundred lines by a table, which takes longer than reading them.
 */
export function asLedgerLine(found: unknown): LedgerLine | undefined {
  if (!isObject(found)) return undefined
  const { type, id, outcome } = found
  if (type === 'forget') return { type }
  if (!isText(id)) return undefined
  if (type === 'cancel') return { type, id }
  if (type === 'settle') return isOutcome(outcome) ? { type, id, outcome: soundOutcome(outcome) } : undefined
  if (!isRequest(found)) return undefined
  const { monotonic, place } = found as ReserveLine
  if (isMaybe(monotonic, isAmount) && isMaybe(place, isText)) return found
  return { ...(found as ReserveLine), monotonic: ifSound(monotonic, isAmount), place: ifSound(place, isText) }
}

function isRequest(found: object): found is ReserveLine | PlaceLine {
  const { type, at, cost, owner } = found as Partial<ReserveLine | PlaceLine>
  if ((type !== 'reserve' && type !== 'place') || !isAmount(at) || !isAmount(cost) || !isObject(owner)) return false
  const { host, boot, space, pid, start } = owner
  return isText(host) && isText(boot) && isText(space) && isAmount(pid) && isText(start)
}

function isOutcome(found: unknown): found is PacingOutcome {
  if (!isObject(found)) return false
  const { type, at, status } = found
  return type === 'not-sent' || (isAmount(at) && (type === 'unanswered' || (type === 'answered' && isAmount(status))))
}

function soundOutcome(outcome: PacingOutcome): PacingOutcome {
  if (outcome.type !== 'answered') return outcome
  const { report, refusedBy, holdMs } = outcome
  if (isReport(report) && isMaybe(refusedBy, isWindow) && isMaybe(holdMs, isAmount)) return outcome
  const sound = { refusedBy: ifSound(refusedBy, isWindow), holdMs: ifSound(holdMs, isAmount) }
  return { ...outcome, ...sound, report: isReport(report) ? report : {} }
}

function isReport(found: unknown): boolean {
  if (!isObject(found)) return false
  const { limit, remaining, resetAt, cost, serverNow, isCostAlone } = found
  const amounts = [limit, remaining, resetAt, cost, serverNow]
  return isMaybe(isCostAlone, isBoolean) && amounts.every((amount) => isMaybe(amount, isAmount))
}

type Test = (found: unknown) => boolean
const isMaybe = (found: unknown, is: Test) => found === undefined || is(found)
const ifSound = <Value>(found: Value, is: Test) => (is(found) ? found : undefined)
const isText = (found: unknown): found is string => typeof found === 'string'
const isBoolean = (found: unknown) => typeof found === 'boolean'
const isWindow = (found: unknown) => windowNames.includes(found as WindowName)
const isAmount = (found: unknown) => typeof found === 'number' && found >= 0 && found < Number.POSITIVE_INFINITY
