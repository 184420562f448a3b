import type { QuotaModel, Verdict } from '../ledger.ts'
import type { LedgerLine } from './ledger-line.ts'

export type PlaceLine = Extract<LedgerLine, { type: 'place' }>

/** A place whose room has come is passed over after this time, because its process may have been stopped. */
const PASSED_OVER_MS = 2_000

/**
 * The requests of all processes that wait for room, in the order of the log. Those behind a place count its units as used,
 * so that each is sent in its turn, and one that fits beside all before it need not wait for them. Places decide only who
 * tries; the order of reservations decides who is sent.
 */
export function createPlaces() {
  const waiting = new Map<string, PlaceLine>()
  /** Places by the reservation that was made for them; a cancelled one leaves its place waiting. */
  const served = new Map<string, string>()
  /** Since when a place was seen to have room. */
  const roomSince = new Map<string, number>()

  function leave(id: string | undefined): void {
    if (id === undefined) return
    waiting.delete(id)
    roomSince.delete(id)
  }

  /** Those before a place; all of them without one. */
  function before(own: string | undefined): readonly PlaceLine[] {
    const beingServed = new Set(served.values())
    const all = [...waiting.values()]
    const end = all.findIndex(({ id }) => id === own)
    return all.slice(0, end < 0 ? all.length : end).filter(({ id }) => !beingServed.has(id))
  }

  /** When others may pass a place; undefined while it has no room. */
  function passedAt({ id, cost }: PlaceLine, model: QuotaModel, now: number, ahead: readonly number[]) {
    if (model.verdict(cost, now, ahead).type === 'later') {
      roomSince.delete(id)
      return undefined
    }
    const since = Math.min(roomSince.get(id) ?? now, now)
    roomSince.set(id, since)
    return since + PASSED_OVER_MS
  }

  return {
    deliver(line: LedgerLine): void {
      if (line.type === 'place') waiting.set(line.id, line)
      else if (line.type === 'reserve' && line.place !== undefined) served.set(line.id, line.place)
      else if (line.type === 'cancel' && !served.delete(line.id)) leave(line.id)
      else if (line.type === 'settle') {
        leave(served.get(line.id))
        served.delete(line.id)
      }
    },
    has: (id: string) => waiting.has(id),
    all: (): readonly PlaceLine[] => [...waiting.values()],
    clear(): void {
      waiting.clear()
      served.clear()
    },
    /**
     * Whether a request may be tried now, behind all places before its own.
     * @param own its place; undefined for the end of the queue
     */
    verdict(cost: number, model: QuotaModel, now: number, own: string | undefined): Verdict {
      const ahead: number[] = []
      let lookAt = Number.POSITIVE_INFINITY
      for (const place of before(own)) {
        const passed = passedAt(place, model, now, ahead)
        if (passed !== undefined && passed <= now) continue
        lookAt = Math.min(lookAt, passed ?? lookAt)
        ahead.push(place.cost)
      }
      const verdict = model.verdict(cost, now, ahead)
      if (verdict.type === 'now' || lookAt === Number.POSITIVE_INFINITY) return verdict
      return { ...verdict, at: Math.min(verdict.at ?? lookAt, lookAt) }
    },
  }
}
