import { isObject, parseJson } from '../../protocol/json.ts'
import { windowNames } from '../../protocol/rate-limits.ts'
import { type ProcessOwner, toOwner } from '../../system/process-identity.ts'
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
  const line = parseJson(text)
  if (!isObject(line)) return undefined
  if (line['type'] === 'seal' || line['type'] === 'forget') return { type: line['type'] }
  if (line['type'] === 'start') return isAmount(line['bytes']) ? { type: 'start', bytes: line['bytes'] } : undefined
  const { id } = line
  if (typeof id !== 'string') return undefined
  if (line['type'] === 'cancel') return { type: 'cancel', id }
  if (line['type'] === 'reserve' || line['type'] === 'place') return parseRequest(id, line)
  const outcome = line['type'] === 'settle' ? parseOutcome(line['outcome']) : undefined
  return outcome && { type: 'settle', id, outcome }
}

function parseRequest(
  id: string,
  { type, at, cost, owner: written, monotonic, place }: Fields,
): LedgerLine | undefined {
  const owner = toOwner(written)
  if (!isAmount(at) || !isAmount(cost) || !owner) return undefined
  if (type === 'place') return { type, id, at, cost, owner }
  return {
    type: 'reserve',
    id,
    at,
    cost,
    owner,
    ...(isAmount(monotonic) && { monotonic }),
    ...(typeof place === 'string' && { place }),
  }
}

function parseOutcome(value: unknown): PacingOutcome | undefined {
  if (!isObject(value)) return undefined
  const { type, at, status, report, refusedBy, holdMs } = value
  if (type === 'not-sent') return { type }
  if (!isAmount(at)) return undefined
  if (type === 'unanswered') return { type, at }
  if (type !== 'answered' || !isAmount(status)) return undefined
  const window = windowNames.find((name) => name === refusedBy)
  return {
    type,
    at,
    status,
    report: parseReport(report),
    ...(window !== undefined && { refusedBy: window }),
    ...(isAmount(holdMs) && { holdMs }),
  }
}

/** The type demands every field of the report here. */
const reportFields: Readonly<Record<keyof RateReport, (value: unknown) => boolean>> = {
  limit: isAmount,
  remaining: isAmount,
  resetAt: isAmount,
  cost: isAmount,
  serverNow: isAmount,
  isCostAlone: (value) => typeof value === 'boolean',
}

function parseReport(value: unknown): RateReport {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(reportFields).flatMap(([name, isSound]) => (isSound(value[name]) ? [[name, value[name]]] : [])),
  )
}

type Fields = Readonly<Record<string, unknown>>

function isAmount(value: unknown): value is number {
  return Number.isFinite(value) && Number(value) >= 0
}
