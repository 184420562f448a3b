import type { QuotaModel, Verdict } from '../ledger.ts'
import type { LedgerLine, PlaceLine } from './ledger-line.ts'

/**
 * A place whose room has come is passed over after this time for each place up to it, because its process may have been
 * stopped: those further behind look less often whether they have room.
 */
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
  /** Places whose process did not come: others go first until it tries, or takes its place again. */
  const passed = new Set<string>()
  /** Places behind which a request was tried since they were taken. */
  const overtaken = new Set<string>()

  function leave(id: string | undefined): void {
    if (id === undefined) return
    waiting.delete(id)
    roomSince.delete(id)
    passed.delete(id)
    overtaken.delete(id)
  }

  /** Those before a place; all of them without one. */
  function before(own: string | undefined): readonly PlaceLine[] {
    const beingServed = new Set(served.values())
    const all = [...waiting.values()]
    const end = all.findIndex(({ id }) => id === own)
    return all.slice(0, end < 0 ? all.length : end).filter(({ id }) => !beingServed.has(id))
  }

  /** When others may pass a place; undefined while that is not known. */
  function passedAt({ id, cost }: PlaceLine, model: QuotaModel, now: number, ahead: readonly number[]) {
    const patienceMs = PASSED_OVER_MS * (ahead.length + 1)
    if (passed.has(id)) return now
    const verdict = model.verdict(cost, now, ahead)
    if (verdict.type === 'later') {
      roomSince.delete(id)
      return ahead.length === 0 && verdict.at !== undefined ? verdict.at + patienceMs : undefined
    }
    const since = Math.min(roomSince.get(id) ?? now, now)
    roomSince.set(id, since)
    if (since + patienceMs <= now) passed.add(id)
    return since + patienceMs
  }

  /** What counts before a place, and when others may pass one of these. */
  function queueBefore(own: string | undefined, model: QuotaModel, now: number) {
    const ahead: number[] = []
    let lookAt: number | undefined
    for (const place of before(own)) {
      const passedBy = model.neverFits(place.cost) ? now : passedAt(place, model, now, ahead)
      if (passedBy !== undefined && passedBy <= now) continue
      lookAt = Math.min(lookAt ?? Number.POSITIVE_INFINITY, passedBy ?? Number.POSITIVE_INFINITY)
      ahead.push(place.cost)
    }
    return { ahead, lookAt: lookAt === Number.POSITIVE_INFINITY ? undefined : lookAt }
  }

  /** It is at work, so it counts again. */
  function comeBack(place: string): void {
    passed.delete(place)
    roomSince.delete(place)
    overtaken.delete(place)
  }

  function serve(id: string, place: string | undefined): void {
    for (const { id: other } of before(place)) overtaken.add(other)
    if (place === undefined) return
    served.set(id, place)
    comeBack(place)
  }

  return {
    deliver(line: LedgerLine): void {
      if (line.type === 'place') {
        waiting.set(line.id, line)
        comeBack(line.id)
      } else if (line.type === 'reserve') serve(line.id, line.place)
      else if (line.type === 'cancel' && !served.delete(line.id)) leave(line.id)
      else if (line.type === 'settle') {
        leave(served.get(line.id))
        served.delete(line.id)
      }
    },
    has: (id: string) => waiting.has(id),
    isOvertaken: (id: string) => overtaken.has(id),
    ahead: (own: string | undefined) => before(own).length,
    all: (): readonly PlaceLine[] => [...waiting.values()],
    clear(): void {
      for (const one of [waiting, served, roomSince, passed, overtaken]) one.clear()
    },
    /**
     * Whether a request may be tried now, behind all places before its own.
     * @param own its place; undefined for the end of the queue
     */
    verdict(cost: number, model: QuotaModel, now: number, own: string | undefined): Verdict {
      const { ahead, lookAt } = queueBefore(own, model, now)
      const verdict = model.verdict(cost, now, ahead)
      if (verdict.type === 'now' || ahead.length === 0) return verdict
      const alone = model.verdict(cost, now)
      return { ...verdict, lookAt, soonest: { at: alone.type === 'now' ? now : alone.at } }
    },
  }
}
