import { windowLengthMs } from '../../protocol/rate-limits.ts'
import type { Verdict } from '../ledger.ts'
import { marginMs } from '../quota-model/charges.ts'
import type { QuotaModel } from '../quota-model/quota-model.ts'
import { Places } from './places.ts'
import type { QuotaRow, ReserveRow } from './quota-row.ts'

/** Tolerates systems that report the time since their start in whole seconds. */
const SET_MS = 1_500
/** The minute, which is the longest of the short windows. */
export const REST_MS = windowLengthMs.minute + marginMs(windowLengthMs.minute)

/** What the rows of a key's quota add up to. */
export class QuotaState {
  readonly #createModel: () => QuotaModel
  readonly #onRoom: (row?: QuotaRow) => void
  readonly #inFlight = new Map<string, ReserveRow>()
  readonly #places = new Places()
  #model: QuotaModel
  /** How far the clock is ahead of the machine's monotonic time. */
  #aheadMs: number | undefined
  /** Until then the short windows may be full of what is not among the rows. */
  #restsUntil = Number.NEGATIVE_INFINITY

  /** @param onRoom called after a row that may have made room: an ending, a place that was left, or a `forget` */
  constructor(createModel: () => QuotaModel, onRoom: (row?: QuotaRow) => void = () => {}) {
    this.#createModel = createModel
    this.#onRoom = onRoom
    this.#model = createModel()
  }

  /** Requests that have not ended, by their ids. */
  get inFlight(): ReadonlyMap<string, ReserveRow> {
    return this.#inFlight
  }

  get model(): QuotaModel {
    return this.#model
  }

  /** Requests that wait for room, in their order. */
  get waiting() {
    return this.#places.all()
  }

  isWaiting(place: string): boolean {
    return this.#places.has(place)
  }

  /** Whether a request that asked later was tried before the one of this place. */
  isOvertaken(place: string): boolean {
    return this.#places.isOvertaken(place)
  }

  /** How many requests wait before a place. @param place undefined for the end of the queue */
  ahead(place: string | undefined): number {
    return this.#places.ahead(place)
  }

  /** Whether a request may be tried now, behind all that wait before it. @param place undefined for the end of the queue */
  verdict(cost: number, now: number, place: string | undefined): Verdict {
    const isLimited = () => Object.values(this.#model.windows(now)).some(({ limit }) => limit !== null)
    if (now < this.#restsUntil && isLimited())
      return { type: 'later', at: this.#restsUntil, window: 'minute', source: 'ledger' }
    return this.#places.verdict(cost, this.#model, now, place)
  }

  apply(row: QuotaRow): void {
    this.#places.apply(row)
    switch (row.type) {
      case 'reserve': {
        this.#inFlight.set(row.id, row)
        const { id, at, cost } = row
        this.#model.apply({ type: 'reserve', id, at, cost, afterSetting: this.#isAfterSetting(row) })
        break
      }
      case 'settle':
      case 'cancel':
        // Only the first ending counts: the run itself and one that believed it over may both add one.
        if (this.#inFlight.delete(row.id)) this.#model.apply(row)
        else if (row.type === 'settle') break
        this.#onRoom(row)
        break
      case 'forget':
        this.#model = this.#createModel()
        for (const { id, at, cost } of this.#inFlight.values()) this.#model.apply({ type: 'reserve', id, at, cost })
        this.#onRoom()
        break
      case 'lost':
        this.#restsUntil = row.at + REST_MS
    }
  }

  /** Forgets all rows. */
  restart(): void {
    this.#model = this.#createModel()
    this.#inFlight.clear()
    this.#places.clear()
    this.#aheadMs = undefined
    this.#restsUntil = Number.NEGATIVE_INFINITY
    this.#onRoom()
  }

  /** Whether the machine's clock was set since the previous request. */
  #isAfterSetting({ at, monotonic }: ReserveRow): boolean {
    if (monotonic === undefined) return false
    const before = this.#aheadMs
    this.#aheadMs = at - monotonic
    return before !== undefined && Math.abs(this.#aheadMs - before) > SET_MS
  }
}
