import { type Clock, steadyClock, steadyMs } from '../../clock.ts'
import { type Decision, type QuotaStore, type Turn, turnAlone } from '../../store/quota-store.ts'
import { createQueue } from '../../system/queue.ts'
import { orAborted, over } from '../../system/signals.ts'
import type { Later, Ledger, Reservation } from '../ledger.ts'
import type { PacingOutcome, Quota } from '../pacer.ts'
import type { QuotaModel } from '../quota-model/quota-model.ts'
import type { PlaceRow, QuotaRow, ReserveRow, SettleRow } from './quota-row.ts'
import { QuotaState } from './quota-state.ts'

/** A request of this ledger that is under way. */
interface OwnRequest {
  readonly row: ReserveRow
  /** By the clock's monotonic time. */
  readonly since: number
  /** Once it has ended; the store does not have that yet. */
  outcome?: PacingOutcome
  /** How the row that was last written for it is dated, whether the store has that or not. */
  writtenAt?: number
}

/** The last answer that there is no room. */
interface Denial {
  /** Resolves with the next row that may make room. */
  readonly room: Promise<void>
  /** When there will be room, by the store's time; undefined where that depends on a request under way. */
  readonly at: number | undefined
}

export interface StoreLedgerOptions {
  readonly store: QuotaStore<QuotaRow>
  readonly clock: Clock
  readonly createModel: () => QuotaModel
}

/** A clock that differs by more from its monotonic time than when the request was sent was set meanwhile. */
const SET_MS = 1_000

/** What was added may change the answer. */
const again = Symbol('again')

/**
 * A ledger whose events are rows of a store that other runs add to as well. What a run decides from all rows so far and
 * what it adds are one step, so two runs never use the same room.
 */
export class StoreLedger implements Ledger {
  readonly #store: QuotaStore<QuotaRow>
  readonly #clock: Clock
  readonly #createModel: () => QuotaModel
  #state: QuotaState
  /** Differs from the names of all other ledgers; it is no secret. */
  readonly #name = Math.random().toString(36).slice(2, 12)
  #named = 0
  readonly #own = new Map<string, OwnRequest>()
  /** One reservation at a time. */
  readonly #inTurn = createQueue()
  /** Where this ledger waits. */
  #place: PlaceRow | undefined
  /** Resolves with the next row that may make room. */
  #room = Promise.withResolvers<void>()
  #denied: Denial = { room: this.#room.promise, at: undefined }
  /** What the store's time differs from this machine's clock, in milliseconds. */
  #aheadMs = 0
  /** When the store was asked last, by the clock's monotonic time. */
  #askedAt = Number.NEGATIVE_INFINITY
  #isClosing = false

  constructor({ store, clock, createModel }: StoreLedgerOptions) {
    this.#store = store
    this.#clock = clock
    this.#createModel = createModel
    this.#state = new QuotaState(createModel)
  }

  // Those who give a client a ledger of their own copy these: they belong to the object, and know it.
  reserve = (cost: number): Promise<Reservation> =>
    this.#inTurn(async () => {
      for (;;) {
        const answer = await this.#turn((turn) => this.#decide(cost, turn))
        if (answer !== again) return answer
      }
    })

  settle = async (id: string, outcome: PacingOutcome): Promise<void> => {
    const own = this.#own.get(id)
    if (own === undefined || own.outcome !== undefined) return
    own.outcome = outcome
    while (this.#own.has(id)) await this.#look()
  }

  withdraw = (): Promise<void> =>
    this.#inTurn(async () => {
      if (this.#place === undefined) return
      this.#place = undefined
      await this.#look()
    })

  windows = (): Quota => {
    // Of a near store the news are here before this returns. What was known before is shown if it fails.
    if (this.#store.isNear) void this.#look().catch(() => {})
    return this.#state.model.windows(this.#clock.now() + this.#aheadMs)
  }

  changed = async (signal?: AbortSignal): Promise<void> => {
    const denied = this.#denied
    const end = new AbortController()
    try {
      await orAborted(Promise.race([denied.room, this.#poll(denied, end.signal)]), signal)
    } finally {
      end.abort(over)
    }
  }

  /** The run is over once no request is under way. */
  close = (): void => {
    this.#isClosing = true
    this.#closeIfIdle()
  }

  /** Takes the news, and applies what is decided once the store has it. */
  async #turn<Result>(decide: (turn: Turn<QuotaRow>) => Decision<QuotaRow, Result>): Promise<Result> {
    this.#askedAt = steadyMs(this.#clock)
    try {
      return await this.#store.turn((turn) => {
        this.#aheadMs = turn.now - this.#clock.now()
        if (turn.isWhole) {
          this.#state = new QuotaState(this.#createModel)
          this.#makeRoom()
        }
        for (const row of turn.news) this.#apply(row)
        const decision = decide(turn)
        const onAdded = (before: readonly QuotaRow[]) => {
          for (const row of before) this.#apply(row)
          decision.onAdded?.(before)
          for (const row of decision.add) this.#apply(row)
        }
        return { ...decision, onAdded }
      })
    } finally {
      this.#closeIfIdle()
    }
  }

  #apply(row: QuotaRow): void {
    if (row.type === 'settle' && this.#isOwnEnd(row)) this.#own.delete(row.id)
    this.#state.apply(row)
    if (row.type === 'settle' || row.type === 'cancel' || row.type === 'forget') this.#makeRoom()
  }

  /**
   * Whether it is how a request of this ledger ends, as this ledger has written it; the answer to that may have been lost.
   * Others end a request too, but only as unanswered, and only the first end counts.
   */
  #isOwnEnd({ id, outcome }: SettleRow): boolean {
    if (!this.#state.inFlight.has(id)) return false
    return outcome.type !== 'unanswered' || outcome.at === this.#own.get(id)?.writtenAt
  }

  #makeRoom(): void {
    this.#room.resolve()
    this.#room = Promise.withResolvers()
  }

  #decide(cost: number, turn: Turn<QuotaRow>): Decision<QuotaRow, Reservation | typeof again> {
    const due = this.#due(turn)
    if (due.add.length > 0) return due
    const reason = this.#state.model.neverFits(cost)
    if (reason !== undefined) return { add: [], result: { type: 'never', reason } }
    const verdict = this.#state.verdict(cost, turn.now, this.#place?.id)
    if (verdict.type === 'now') return this.#grant(cost, turn)
    const place = this.#placeFor(cost, turn)
    const onAdded = () => {
      this.#place = place
    }
    if (place !== this.#place) return { add: [place], result: again, isAlways: true, onAdded }
    this.#denied = { room: this.#room.promise, at: verdict.at }
    return { add: [], result: { type: 'denied', verdict: this.#byOurClock(verdict) } }
  }

  #grant(cost: number, turn: Turn<QuotaRow>): Decision<QuotaRow, Reservation> {
    const id = this.#place?.id ?? this.#newId()
    const row: ReserveRow = { type: 'reserve', id, run: turn.run(), at: turn.now, cost }
    const onAdded = () => {
      this.#own.set(row.id, { row, since: steadyMs(this.#clock) })
      this.#place = undefined
    }
    return { add: [row], result: { type: 'granted', id: row.id }, onAdded }
  }

  /**
   * Where this ledger waits from now on. A place keeps its rank when another request takes it over. Others may have passed one
   * that was overtaken: added again, it counts again.
   */
  #placeFor(cost: number, { now, run }: Turn<QuotaRow>): PlaceRow {
    const place = this.#place
    if (place?.cost === cost && this.#state.isKept(place.id)) return place
    return { type: 'place', id: place?.id ?? this.#newId(), run: run(), at: now, cost }
  }

  /** Reads what is new, and adds what the store lacks. */
  async #look(): Promise<void> {
    await this.#turn((turn) => this.#due(turn))
  }

  /**
   * What the store lacks: the ends of this ledger's requests and of what runs that are over have left. The two agree on what
   * is this ledger's: what only the store has is cancelled, as a request whose adding got no answer; what a file has lost that
   * was removed is added again.
   */
  #due(turn: Turn<QuotaRow>): Decision<QuotaRow, typeof again> {
    const { inFlight, waiting } = this.#state
    const unknown = [...inFlight.values()].filter(({ id }) => this.#isOwn(id) && !this.#own.has(id))
    const left = waiting.filter(({ id }) => this.#isOwn(id) && id !== this.#place?.id)
    const own = [...this.#own.values()]
    const ended = own.filter(({ outcome }) => outcome !== undefined)
    const missing = ended.filter(({ row }) => !inFlight.has(row.id))
    const lost = own.filter(({ row, outcome }) => turn.isWhole && outcome === undefined && !inFlight.has(row.id))
    return {
      add: [
        ...unknown.map(cancelled),
        ...left.map(cancelled),
        ...lost.map(({ row }) => ({ ...row, at: turn.now })),
        ...ended.map((request) => this.#endOf(request, turn)),
        ...this.#over(turn),
      ],
      result: again,
      isAlways: true,
      onAdded: () => {
        // The others end by their rows. What others have just ended is charged with the next turn.
        for (const { row } of missing) this.#own.delete(row.id)
      },
    }
  }

  /** Others may have taken this run for over, and count its request as charged then: it is charged now. */
  #endOf(request: OwnRequest, turn: Turn<QuotaRow>): QuotaRow {
    const { id, cost } = request.row
    const outcome = this.#dated(request, turn)
    if (outcome.type === 'unanswered') request.writtenAt = outcome.at
    if (this.#state.inFlight.has(id)) return { type: 'settle', id, outcome }
    return outcome.type === 'not-sent' ? cancelled({ id }) : { type: 'charge', at: outcome.at, cost }
  }

  /** Requests of a run that is over may have been charged until now, so they count as charged now. */
  #over({ lives, now }: Turn<QuotaRow>): readonly QuotaRow[] {
    return [...this.#state.inFlight.values(), ...this.#state.waiting]
      .filter(({ id, run }) => !this.#isOwn(id) && !lives(run))
      .map(({ id }) => ({ type: 'settle', id, outcome: { type: 'unanswered', at: now } }))
  }

  /**
   * An outcome dated now by the store's time: a late date is safe, and one before the rows of others would look like a clock
   * that was set back. If the clock was set while the request was under way, its report cannot be placed in time.
   */
  #dated({ row, since, outcome = notSent }: OwnRequest, { now, uncertainMs }: Turn<QuotaRow>): PacingOutcome {
    if (outcome.type === 'not-sent') return outcome
    const at = now + uncertainMs
    if (outcome.type === 'unanswered') return { ...outcome, at }
    const setByMs = now - row.at - (steadyMs(this.#clock) - since)
    return { ...outcome, at, report: Math.abs(setByMs) <= SET_MS ? outcome.report : {} }
  }

  /** Looks as often as others may have made room since the store was asked, until the signal aborts. */
  async #poll({ room, at }: Denial, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const leftMs = at === undefined ? undefined : at - this.#clock.now() - this.#aheadMs
      const pollMs = this.#store.pollMs(leftMs, this.#state.ahead(this.#place?.id))
      const ms = this.#askedAt + pollMs - steadyMs(this.#clock)
      if (ms === Number.POSITIVE_INFINITY) return await room
      if (ms > 0) await this.#clock.sleep(ms, signal)
      else await this.#look()
    }
  }

  #byOurClock(verdict: Later): Later {
    const local = (at: number | undefined) => (at === undefined ? undefined : at - this.#aheadMs)
    const { at, lookAt, soonest } = verdict
    const moved = { at: local(at), lookAt: local(lookAt) }
    return { ...verdict, ...moved, ...(soonest && { soonest: { at: local(soonest.at) } }) }
  }

  #isOwn(id: string): boolean {
    return id.startsWith(`${this.#name}.`)
  }

  #newId(): string {
    this.#named += 1
    return `${this.#name}.${this.#named}`
  }

  #closeIfIdle(): void {
    if (this.#isClosing && this.#own.size === 0 && this.#place === undefined) this.#store.close()
  }
}

const notSent = { type: 'not-sent' } as const
const cancelled = ({ id }: { readonly id: string }) => ({ type: 'cancel', id }) as const

/**
 * A ledger for this process only. No other process adds rows, so the store keeps none. It runs on the clock's monotonic time,
 * if there is one, so that setting the clock does not affect its counts.
 */
export function createMemoryLedger(model: QuotaModel, clock: Clock): Ledger {
  const steady = steadyClock(clock)
  return new StoreLedger({
    store: {
      isNear: true,
      turn: (decide) => turnAlone(decide, steady.now()),
      pollMs: () => Number.POSITIVE_INFINITY,
      close() {},
    },
    clock,
    createModel: () => model,
  })
}
