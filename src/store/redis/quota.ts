import { type Clock, steadyMs } from '../../clock.ts'
import { createQueue } from '../../system/queue.ts'
import type { Decide, QuotaStore, RowForm } from '../quota-store.ts'
import { StoreError } from '../store-error.ts'
import { type Patience, RedisSession, type RedisSessionOptions } from './session.ts'

export interface RedisQuotaOptions<Row> extends RedisSessionOptions, Pick<Patience, 'onOutage' | 'onReturn'> {
  /** Default: a run of its own. */
  readonly session?: RedisSession
  readonly form: RowForm<Row>
  /** How long a turn waits for a server that cannot be reached, in milliseconds. */
  readonly patienceMs: number
}

/**
 * How often a wait looks, in milliseconds. A response may end a wait for the minute early, so the first in the queue looks within
 * the two seconds after which others pass over it, and the second half as often.
 */
const FIRST_POLL_MS = 1_500
/** A little less than the time after which the session calls by itself to stay alive, so that this call serves for both. */
const IDLE_POLL_MS = 14_000
const LONG_WAIT_MS = 120_000
/** What was read this long ago still counts as read now. */
const FRESH_MS = 500
/** Others may add rows at the same time. */
const MOST_TRIES = 100
/** Rows are made fewer when there are more than this, and twice as many as after the last time; each run a little later. */
const COMPACT_FROM = 600

type Step = 'add' | 'always' | 'look' | 'replace'

/**
 * The rows of one key on a Redis server, which runs of several machines share. Once the server may have lost rows, a turn
 * fails: what this run knows of the quota is worth nothing then.
 */
export class RedisQuota<Row> implements QuotaStore<Row> {
  readonly isNear = false
  readonly #form: RowForm<Row>
  readonly #clock: Clock
  readonly #session: RedisSession
  readonly #patience: Patience
  readonly #inTurn = createQueue()
  readonly #compactFrom = COMPACT_FROM * (1 + Math.random() / 10)
  readonly #closing = new AbortController()
  #heardAt = Number.NEGATIVE_INFINITY
  /** Of the session, when these rows were read. */
  #epoch = ''
  #seen = 0
  #news: Row[] = []
  #isWhole = true
  #live: ReadonlySet<string> = new Set()
  /** All rows that this run knows, and how many there were after they were made fewer. */
  #known: Row[] = []
  #compacted = 0

  constructor(options: RedisQuotaOptions<Row>) {
    const { form, clock, session = new RedisSession(options), patienceMs: mostMs, onOutage, onReturn } = options
    this.#form = form
    this.#clock = clock
    this.#session = session
    this.#patience = { mostMs, stopping: this.#closing.signal, onOutage, onReturn }
  }

  turn<Result>(decide: Decide<Row, Result>): Promise<Result> {
    return this.#inTurn(() => this.#turn(decide))
  }

  pollMs(leftMs: number | undefined, ahead: number): number {
    return ahead > 1 || (leftMs !== undefined && leftMs > LONG_WAIT_MS) ? IDLE_POLL_MS : (ahead + 1) * FIRST_POLL_MS
  }

  /** No turn waits for the server any more. */
  close(): void {
    this.#closing.abort(new StoreError('unreachable', 'Redis was not reached before the run was over'))
  }

  /** The run is over, after the turns that have begun. */
  leave(): Promise<void> {
    this.close()
    return this.#inTurn(() => this.#session.close())
  }

  /** How many runs were heard of lately. */
  get runners(): number {
    return this.#live.size
  }

  /** All rows that this run knows, as far as it has asked. */
  known(): readonly Row[] {
    return this.#known
  }

  /** All rows. A run that only looks is not counted among those that live. */
  async look(): Promise<readonly Row[]> {
    this.#forget()
    await this.#exchange('look')
    return this.#known
  }

  /** Replaces all rows. @throws StoreError where others keep adding rows */
  async replace(by: (rows: readonly Row[]) => readonly Row[]): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1)
      if (await this.#exchange('replace', by(await this.look()))) return
    throw changing()
  }

  async #turn<Result>(decide: Decide<Row, Result>): Promise<Result> {
    if (this.#epoch === '') await this.#exchange('add')
    // Before anything is decided: a loss that it meets costs nothing then.
    await this.#compactIfLong()
    let isFresh = steadyMs(this.#clock) - this.#heardAt < FRESH_MS
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { add, result, isAlways = false, onAdded } = decide(this.#takeNews())
      if (add.length === 0 && isFresh) return result
      const isAdded = await this.#exchange(isAlways ? 'always' : 'add', add)
      isFresh = true
      if (!isAdded || add.length === 0) continue
      onAdded?.(this.#takeNews().news)
      return result
    }
    throw changing()
  }

  #takeNews() {
    const [news, isWhole] = [this.#news, this.#isWhole]
    ;[this.#news, this.#isWhole] = [[], false]
    const { run, uncertainMs } = this.#session
    const lives = (other: string) => this.#live.has(other)
    return { news, isWhole, now: this.#session.now(), uncertainMs, run: () => run, lives }
  }

  /** @returns whether the rows were added. After a call without an answer that is not known: the news have them then. */
  #exchange(step: Step, rows: readonly Row[] = []): Promise<boolean> {
    return this.#session.patiently(
      () => this.#call(step, rows),
      () => this.#call('look', []).then(() => false),
      this.#patience,
    )
  }

  async #call(step: Step, rows: readonly Row[]): Promise<boolean> {
    if (this.#session.epoch !== this.#epoch) this.#forget()
    const from = this.#seen
    const texts = rows.map((row) => this.#form.format(row))
    // A row that says nothing: the list is never empty.
    if (step === 'replace' && rows.length === 0) texts.push('')
    const { epoch, found } = await this.#session.ask(step, String(from), ...texts).catch((error: unknown) => {
      if (error instanceof StoreError && error.failure === 'lost') this.#forget()
      throw error
    })
    const [last, isAdded, isWhole, news, live] = found
    if (!Array.isArray(news) || !Array.isArray(live))
      throw new StoreError('refused', 'Redis answered without the quota')
    this.#heardAt = steadyMs(this.#clock)
    ;[this.#epoch, this.#seen, this.#live] = [epoch, Number(last), new Set(live.map(String))]
    const others = news.flatMap((text: unknown) => this.#form.parse(String(text)) ?? [])
    const isAll = isWhole === 1 || from === 0
    this.#isWhole ||= isAll
    this.#news = isAll ? others : [...this.#news, ...others]
    this.#known = isAll ? [...others] : [...this.#known, ...others]
    if (isAdded === 1) this.#known = step === 'replace' ? [...rows] : [...this.#known, ...rows]
    return isAdded === 1
  }

  /** The next turn reads all. */
  #forget(): void {
    ;[this.#epoch, this.#seen, this.#news, this.#isWhole] = ['', 0, [], true]
  }

  /** The rows mean the same to those that know them all, as this run does. */
  async #compactIfLong(): Promise<void> {
    if (this.#known.length < Math.max(this.#compactFrom, 2 * this.#compacted)) return
    const fewer = this.#form.compact(this.#known, this.#session.now())
    if (await this.#exchange('replace', fewer)) this.#compacted = this.#known.length
  }
}

function changing(): StoreError {
  return new StoreError('refused', 'The quota in Redis keeps changing')
}
