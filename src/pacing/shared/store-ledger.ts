import { type Clock, steadyMs } from '../../clock.ts'
import type { Decision, QuotaStore, Turn } from '../../store/quota-store.ts'
import { createQueue } from '../../system/queue.ts'
import type { Later, Ledger, Reservation } from '../ledger.ts'
import { movedQuota } from '../memory-ledger.ts'
import { nap } from '../nap.ts'
import type { PacingOutcome, Quota } from '../pacer.ts'
import type { QuotaModel } from '../quota-model/quota-model.ts'
import { lastingReport, type PlaceRow, type QuotaRow, type ReserveRow } from './quota-row.ts'
import { QuotaState } from './quota-state.ts'

/** A request of this ledger that is under way. */
interface OwnRequest {
  row: ReserveRow
  /** By the clock's monotonic time. */
  readonly since: number
  /** Once it has ended; the store does not have that yet. */
  outcome?: PacingOutcome
  /** Whether others took this run for over, and counted the request as charged. */
  isExpired: boolean
}

export interface StoreLedgerOptions {
  readonly store: QuotaStore<QuotaRow>
  readonly clock: Clock
  readonly createModel: () => QuotaModel
}

/** An outcome written this much later than it happened, as by a suspended process, is dated to the time of writing. */
const LATE_MS = 1_000

/** What was added may change the answer. */
const again = Symbol('again')

/**
 * A ledger whose events are rows of a store that other runs add to as well. What a run decides from all rows so far and
 * what it adds are one step, so two runs never use the same room.
 */
export class StoreLedger implements Ledger {
  readonly #store: QuotaStore<QuotaRow>
  readonly #clock: Clock
  readonly #state: QuotaState
  /** Differs from the names of all other ledgers; it is no secret. */
  readonly #name = Math.random().toString(36).slice(2, 12)
  readonly #own = new Map<string, OwnRequest>()
  readonly #sleepers = new Set<() => void>()
  /** One reservation at a time. */
  readonly #inTurn = createQueue()
  /** Where this ledger waits. */
  #place: PlaceRow | undefined
  #named = 0
  #endings = 0
  #denied: { readonly endings: number; readonly at: number | undefined } = { endings: 0, at: undefined }
  /** What the store's time differs from this machine's clock, in milliseconds. */
  #aheadMs = 0
  #uncertainMs = 0
  /** When the store was asked last, by the clock's monotonic time. */
  #askedAt = Number.NEGATIVE_INFINITY
  #hasRows = false
  #isClosing = false

  constructor({ store, clock, createModel }: StoreLedgerOptions) {
    this.#store = store
    this.#clock = clock
    this.#state = new QuotaState(createModel, (row) => this.#onRoom(row))
  }

  // Those who give a client a ledger of their own copy these: they belong to the object, and know it.
  reserve = (cost: number, now: number): Promise<Reservation> =>
    this.#inTurn(async () => {
      for (;;) {
        const answer = await this.#turn((turn) => this.#decide(cost, now, turn))
        if (answer !== again) return answer
      }
    })

  settle = async (id: string, outcome: PacingOutcome): Promise<void> => {
    const own = this.#own.get(id)
    if (own === undefined || own.outcome !== undefined) return
    own.outcome = outcome.type === 'not-sent' ? outcome : { ...outcome, at: this.#dated(outcome.at) }
    // Others may just have taken this run for over: then the request counts again, by another name.
    while (this.#own.has(id)) await this.#turn((turn) => this.#adding(this.#due(turn), undefined))
  }

  withdraw = (): Promise<void> =>
    this.#inTurn(async () => {
      if (this.#place === undefined) return
      this.#place = undefined
      await this.#turn((turn) => this.#adding(this.#due(turn), undefined))
    })

  windows = (now: number): Quota => {
    try {
      if (this.#store.isNear) void this.#look()
    } catch {
      // What was known before is shown; the next reservation throws.
    }
    return movedQuota(this.#state.model.windows(now + this.#aheadMs), -this.#aheadMs)
  }

  changed = async (signal?: AbortSignal): Promise<void> => {
    for (const { endings: before, at } = this.#denied; ; ) {
      signal?.throwIfAborted()
      if (this.#staleInMs(at) <= 0) await this.#look()
      if (this.#endings !== before) return
      await nap(Math.max(this.#staleInMs(at), 0), { clock: this.#clock, sleepers: this.#sleepers, signal })
    }
  }

  /** The run is over once no request is under way. */
  close = (): void => {
    this.#isClosing = true
    this.#closeIfIdle()
  }

  /** Takes the news, and applies what is decided once the store has it. */
  #turn<Result>(decide: (turn: Turn<QuotaRow>) => Decision<QuotaRow, Result>): Result | Promise<Result> {
    this.#askedAt = steadyMs(this.#clock)
    const result = this.#store.turn((turn) => {
      this.#aheadMs = turn.now - this.#clock.now()
      this.#uncertainMs = turn.uncertainMs
      if (turn.isWhole && this.#hasRows) this.#state.restart()
      this.#hasRows = true
      for (const row of turn.news) this.#state.apply(row)
      const decision = decide(turn)
      const onAdded = (before: readonly QuotaRow[]) => {
        for (const row of before) this.#state.apply(row)
        decision.onAdded?.(before)
        for (const row of decision.add) this.#state.apply(row)
      }
      return { ...decision, onAdded }
    })
    if (!(result instanceof Promise)) this.#closeIfIdle()
    return result instanceof Promise ? result.finally(() => this.#closeIfIdle()) : result
  }

  #decide(cost: number, asOf: number, turn: Turn<QuotaRow>): Decision<QuotaRow, Reservation | typeof again> {
    const due = this.#due(turn)
    if (due.length > 0) return this.#adding(due, again)
    const reason = this.#state.model.neverFits(cost)
    if (reason !== undefined) return { add: [], result: { type: 'never', reason } }
    const now = Math.max(asOf + this.#aheadMs, turn.now)
    const verdict = this.#state.verdict(cost, now, this.#place?.id)
    if (verdict.type === 'now') return this.#grant(cost, now, turn)
    const over = this.#over(turn)
    if (over.length > 0) return { add: over, result: again, isAlways: true }
    const place = this.#placeFor(cost, now, turn)
    if (place !== undefined) return { add: [place], result: again, isAlways: true, onAdded: () => this.#wait(place) }
    this.#denied = { endings: this.#endings, at: verdict.at }
    return { add: [], result: { type: 'denied', verdict: this.#byOurClock(verdict) } }
  }

  #grant(cost: number, at: number, turn: Turn<QuotaRow>): Decision<QuotaRow, Reservation> {
    const monotonic = this.#store.isNear ? this.#clock.monotonic?.() : undefined
    const row: ReserveRow = {
      type: 'reserve',
      id: this.#newId(),
      run: turn.run(),
      at,
      cost,
      ...(monotonic !== undefined && { monotonic }),
      ...(this.#place && { place: this.#place.id }),
    }
    const onAdded = () => {
      this.#own.set(row.id, { row, since: steadyMs(this.#clock), isExpired: false })
      this.#place = undefined
    }
    return { add: [row], result: { type: 'granted', id: row.id }, onAdded }
  }

  /**
   * Where this ledger waits from now on; undefined where it waits there already. A place keeps its rank when another request
   * takes it over. Others may have passed one that was overtaken: added again, it counts again.
   */
  #placeFor(cost: number, at: number, turn: Turn<QuotaRow>): PlaceRow | undefined {
    const place = this.#place && this.#state.isWaiting(this.#place.id) ? this.#place : undefined
    if (place?.cost === cost && !this.#state.isOvertaken(place.id)) return undefined
    return { type: 'place', id: place?.id ?? this.#newId(), run: turn.run(), at, cost }
  }

  #wait(place: PlaceRow): void {
    this.#place = place
  }

  /** Reads what is new, and ends what runs that are over have left. */
  #look(): void | Promise<void> {
    return this.#turn((turn) => this.#adding([...this.#due(turn), ...this.#over(turn)], undefined))
  }

  /** Requests of this ledger that end with these rows are over once the store has them. */
  #adding<Result>(add: readonly QuotaRow[], result: Result): Decision<QuotaRow, Result> {
    const ended = new Set(add.flatMap((row) => (row.type === 'settle' ? row.id : [])))
    const onAdded = () => {
      for (const [id, { row, isExpired }] of this.#own) if (ended.has(row.id) && !isExpired) this.#own.delete(id)
    }
    return { add, result, isAlways: true, onAdded }
  }

  /**
   * What the store lacks. The two agree on what is this ledger's: what only the store has is cancelled, as a request whose
   * adding got no answer; what only the ledger has is added, because the file was removed.
   */
  #due(turn: Turn<QuotaRow>): readonly QuotaRow[] {
    const own = [...this.#own.values()]
    const held = new Set([...own.flatMap(({ row }) => [row.id, row.place]), this.#place?.id])
    const unheld = [...this.#state.inFlight.values(), ...this.#state.waiting].filter(
      ({ id }) => id.startsWith(`${this.#name}.`) && !held.has(id),
    )
    return [
      ...unheld.map(({ id }) => ({ type: 'cancel', id }) as const),
      ...own.flatMap((request) => this.#missingOf(request, turn)),
    ]
  }

  #missingOf(own: OwnRequest, turn: Turn<QuotaRow>): readonly QuotaRow[] {
    const { outcome } = own
    // Others have counted it as charged, but it may be charged only when it ends: then it counts again, by another name.
    if (own.isExpired && outcome === undefined) return []
    if (own.isExpired) own.row = { ...own.row, id: this.#newId(), at: turn.now, monotonic: undefined, place: undefined }
    own.isExpired = false
    const { row } = own
    const begun = this.#state.inFlight.has(row.id) ? [] : [{ ...row, run: turn.run() }]
    const ended = outcome && ({ type: 'settle', id: row.id, outcome: this.#placed(outcome, own) } as const)
    return [...begun, ...(ended ? [ended] : [])]
  }

  /** Requests of a run that is over may have been charged until now, so they count as charged now. */
  #over({ lives, now }: Turn<QuotaRow>): readonly QuotaRow[] {
    const runs = new Map<string, boolean>()
    const isOver = ({ run, id }: { readonly run: string; readonly id: string }) => {
      if (id.startsWith(`${this.#name}.`)) return false
      const isLive = runs.get(run) ?? lives(run)
      runs.set(run, isLive)
      return !isLive
    }
    const unanswered = { type: 'unanswered', at: now } as const
    return [
      ...[...this.#state.inFlight.values()]
        .filter(isOver)
        .map(({ id }) => ({ type: 'settle', id, outcome: unanswered }) as const),
      ...this.#state.waiting.filter(isOver).map(({ id }) => ({ type: 'cancel', id }) as const),
    ]
  }

  #onRoom(row: QuotaRow | undefined): void {
    for (const [id, own] of this.#own) {
      if (row === undefined || !('id' in row) || row.id !== own.row.id) continue
      // It may be the end that this run has added, without an answer of the store.
      if (row.type === 'settle' && own.outcome && isSameEnd(row.outcome, own.outcome)) this.#own.delete(id)
      else own.isExpired = true
    }
    this.#endings += 1
    for (const wake of this.#sleepers) wake()
  }

  /** A late date is safe; one before the rows of others would look like a clock that was set back. */
  #dated(at: number): number {
    const now = this.#clock.now()
    return (Math.abs(now - at) < LATE_MS ? at : now) + this.#aheadMs + this.#uncertainMs
  }

  /** If the clock was set while the request was under way, its report cannot be placed in time. */
  #placed(outcome: PacingOutcome, { row, since }: OwnRequest): PacingOutcome {
    if (outcome.type !== 'answered') return outcome
    const begunAt = this.#state.inFlight.get(row.id)?.at ?? row.at
    const setByMs = this.#clock.now() + this.#aheadMs - begunAt - (steadyMs(this.#clock) - since)
    return Math.abs(setByMs) <= LATE_MS ? outcome : { ...outcome, report: lastingReport(outcome) }
  }

  /** After this time others may have made room since the store was asked. */
  #staleInMs(at: number | undefined): number {
    const leftMs = at === undefined ? undefined : at - this.#clock.now() - this.#aheadMs
    return this.#askedAt + this.#store.pollMs(leftMs, this.#state.ahead(this.#place?.id)) - steadyMs(this.#clock)
  }

  #byOurClock(verdict: Later): Later {
    const local = (at: number | undefined) => (at === undefined ? undefined : at - this.#aheadMs)
    const { at, easesAt, lookAt, soonest } = verdict
    const moved = { at: local(at), easesAt: local(easesAt), lookAt: local(lookAt) }
    return { ...verdict, ...moved, ...(soonest && { soonest: { at: local(soonest.at) } }) }
  }

  #newId(): string {
    this.#named += 1
    return `${this.#name}.${this.#named}`
  }

  #closeIfIdle(): void {
    if (this.#isClosing && this.#own.size === 0 && this.#place === undefined) this.#store.close()
  }
}

function isSameEnd(one: PacingOutcome, other: PacingOutcome): boolean {
  if (one.type === 'not-sent' || other.type === 'not-sent') return one.type === other.type
  return one.type === other.type && one.at === other.at
}
