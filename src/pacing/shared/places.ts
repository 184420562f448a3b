import type { Verdict } from '../ledger.ts'
import type { QuotaModel } from '../quota-model/quota-model.ts'
import type { PlaceRow, QuotaRow } from './quota-row.ts'

/**
 * A place whose room has come is passed over after this time for each place up to it, because its process may have been
 * stopped: those further behind look less often whether they have room.
 */
const PASSED_OVER_MS = 2_000

/**
 * The requests of all processes that wait for room, in the order of their rows. Those behind a place count its units as
 * used, so that each is sent in its turn, and one that fits beside all before it need not wait for them. Places decide only
 * who tries; the order of reservations decides who is sent.
 */
export class Places {
  readonly #waiting = new Map<string, PlaceRow>()
  /** Places by the reservation that was made for them; a cancelled one leaves its place waiting. */
  readonly #served = new Map<string, string>()
  /** Since when a place was seen to have room. */
  readonly #roomSince = new Map<string, number>()
  /** Places whose process did not come: others go first until it tries, or takes its place again. */
  readonly #passed = new Set<string>()
  /** Places behind which a request was tried since they were taken. */
  readonly #overtaken = new Set<string>()

  apply(row: QuotaRow): void {
    switch (row.type) {
      case 'place':
        this.#waiting.set(row.id, row)
        this.#comeBack(row.id)
        break
      case 'reserve':
        this.#serve(row.id, row.place)
        break
      case 'cancel':
        if (!this.#served.delete(row.id)) this.#leave(row.id)
        break
      case 'settle':
        this.#leave(this.#served.get(row.id))
        this.#served.delete(row.id)
    }
  }

  has(id: string): boolean {
    return this.#waiting.has(id)
  }

  isOvertaken(id: string): boolean {
    return this.#overtaken.has(id)
  }

  /** How many wait before a place. @param own undefined for the end of the queue */
  ahead(own: string | undefined): number {
    return this.#before(own).length
  }

  all(): readonly PlaceRow[] {
    return [...this.#waiting.values()]
  }

  clear(): void {
    for (const one of [this.#waiting, this.#served, this.#roomSince, this.#passed, this.#overtaken]) one.clear()
  }

  /**
   * Whether a request may be tried now, behind all places before its own.
   * @param own its place; undefined for the end of the queue
   */
  verdict(cost: number, model: QuotaModel, now: number, own: string | undefined): Verdict {
    const { ahead, lookAt } = this.#queueBefore(own, model, now)
    const verdict = model.verdict(cost, now, ahead)
    if (verdict.type === 'now' || ahead.length === 0) return verdict
    const alone = model.verdict(cost, now)
    return { ...verdict, lookAt, soonest: { at: alone.type === 'now' ? now : alone.at } }
  }

  /** Those before a place; all of them without one. */
  #before(own: string | undefined): readonly PlaceRow[] {
    const beingServed = new Set(this.#served.values())
    const all = this.all()
    const end = all.findIndex(({ id }) => id === own)
    return all.slice(0, end < 0 ? all.length : end).filter(({ id }) => !beingServed.has(id))
  }

  /** What counts before a place, and when others may pass one of these. */
  #queueBefore(own: string | undefined, model: QuotaModel, now: number) {
    const ahead: number[] = []
    let lookAt: number | undefined
    for (const place of this.#before(own)) {
      const passedBy = model.neverFits(place.cost) ? now : this.#passedAt(place, model, now, ahead)
      if (passedBy !== undefined && passedBy <= now) continue
      lookAt = Math.min(lookAt ?? Number.POSITIVE_INFINITY, passedBy ?? Number.POSITIVE_INFINITY)
      ahead.push(place.cost)
    }
    return { ahead, lookAt: lookAt === Number.POSITIVE_INFINITY ? undefined : lookAt }
  }

  /** When others may pass a place; undefined while that is not known. */
  #passedAt({ id, cost }: PlaceRow, model: QuotaModel, now: number, ahead: readonly number[]): number | undefined {
    const patienceMs = PASSED_OVER_MS * (ahead.length + 1)
    if (this.#passed.has(id)) return now
    const verdict = model.verdict(cost, now, ahead)
    if (verdict.type === 'later') {
      this.#roomSince.delete(id)
      return ahead.length === 0 && verdict.at !== undefined ? verdict.at + patienceMs : undefined
    }
    const since = Math.min(this.#roomSince.get(id) ?? now, now)
    this.#roomSince.set(id, since)
    if (since + patienceMs <= now) this.#passed.add(id)
    return since + patienceMs
  }

  #serve(id: string, place: string | undefined): void {
    for (const { id: other } of this.#before(place)) this.#overtaken.add(other)
    if (place === undefined) return
    this.#served.set(id, place)
    this.#comeBack(place)
  }

  /** Its process is at work, so it counts again. */
  #comeBack(place: string): void {
    this.#passed.delete(place)
    this.#roomSince.delete(place)
    this.#overtaken.delete(place)
  }

  #leave(id: string | undefined): void {
    if (id === undefined) return
    this.#waiting.delete(id)
    this.#comeBack(id)
  }
}
