import { randomBytes } from 'node:crypto'
import { type Clock, steadyMs } from '../../clock.ts'
import { FleetProblem } from '../../store/fleet-problem.ts'
import type { Decide, QuotaStore, RowForm } from '../../store/quota-store.ts'
import { createQueue } from '../../system/queue.ts'
import type { RedisLink } from './redis-link.ts'
import { quotaReplaceScript, quotaTurnScript } from './scripts.ts'

export interface RedisQuotaOptions<Row> {
  readonly link: Pick<RedisLink, 'run'>
  readonly form: RowForm<Row>
  readonly clock: Clock
  /** How long a turn waits for a server that cannot be reached, in milliseconds. */
  readonly patienceMs: number
  /** Called once each time a turn begins to wait for the server. */
  readonly onOutage?: (problem: FleetProblem) => void
  /** Called once after each of these, if the server answers again. */
  readonly onReturn?: () => void
}

/** How often a wait looks: for a request under way elsewhere, and while its end is known. */
const POLL_MS = 2_000
const IDLE_POLL_MS = 15_000
/** A response may end a wait for the minute early, so the first in the queue looks so often, each further one half as often. */
const FIRST_POLL_MS = 1_000
const LONG_WAIT_MS = 120_000
/** What was read this long ago still counts as read now. */
const FRESH_MS = 500
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000
/** Others may add rows at the same time. */
const MOST_TRIES = 100
/** After a longer silence a machine may have slept, so its expectation of the time is worth nothing. */
const EXPECTS_FOR_MS = 10_000
/** The link gives up on an answer that takes longer, but for a process that stood still. */
const LONGEST_ANSWER_MS = 2_000
/** Rows are made fewer when there are more than this, and twice as many as after the last time; each run a little later. */
const COMPACT_FROM = 600

interface Added {
  readonly texts: readonly string[]
  /** Whatever has come meanwhile. */
  readonly isAlways: boolean
}

const nothing: Added = { texts: [], isAlways: false }

/** What a call returns. */
interface Answer {
  readonly isAdded: boolean
  readonly isLost: boolean
}

/**
 * The rows of one key on a Redis server, which runs of several machines share. A run lives as long as it calls within half a
 * minute. Once the server may have lost rows, a turn fails: what this run knows of the quota is worth nothing then.
 */
export class RedisQuota<Row> implements QuotaStore<Row> {
  readonly isNear = false
  /** Names this run. */
  readonly run = randomBytes(9).toString('base64url')
  readonly #options: RedisQuotaOptions<Row>
  readonly #inTurn = createQueue()
  readonly #compactFrom = COMPACT_FROM * (1 + Math.random() / 10)
  readonly #closing = new AbortController()
  #epoch = ''
  #since = 0
  #seen = 0
  #news: Row[] = []
  #isWhole = true
  #live: ReadonlySet<string> = new Set()
  #heardAt = Number.NEGATIVE_INFINITY
  /** The server's time minus the clock's monotonic time, by the last answer: never too much. */
  #offsetMs = 0
  #uncertainMs = 0
  /** Rows in the store, and after the last time that they were made fewer. */
  #size = { now: 0, compacted: 0 }
  /** All rows that this run knows. */
  #known: Row[] = []

  constructor(options: RedisQuotaOptions<Row>) {
    this.#options = options
  }

  turn<Result>(decide: Decide<Row, Result>): Promise<Result> {
    return this.#inTurn(() => this.#turn(decide))
  }

  pollMs(leftMs: number | undefined, ahead: number): number {
    if (leftMs !== undefined && leftMs > LONG_WAIT_MS) return IDLE_POLL_MS
    return Math.min(2 ** ahead * FIRST_POLL_MS, leftMs === undefined ? POLL_MS : IDLE_POLL_MS)
  }

  /** No turn waits for the server any more. */
  close(): void {
    this.#closing.abort()
  }

  /** What the server's time differs from this machine's clock, in milliseconds. */
  aheadMs(): number {
    return this.#now() - this.#options.clock.now()
  }

  /** Since when nothing was lost, by the server's time, and which runs live, this one included. */
  state(): { readonly since: number; readonly live: ReadonlySet<string> } {
    return { since: this.#since, live: this.#live }
  }

  /** All rows that this run knows, as far as it has asked. */
  known(): readonly Row[] {
    return this.#known
  }

  /** All rows. A run that only looks is not counted among those that live. */
  async look(): Promise<readonly Row[]> {
    this.#forget()
    await this.#exchange('look')
    return this.#takeNews().news
  }

  /** Replaces all rows. @throws FleetProblem where others keep adding rows */
  async replace(by: (rows: readonly Row[]) => readonly Row[]): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const rows = by(await this.look())
      if (await this.#replaceBy(rows)) return
    }
    throw new FleetProblem('failed', 'The quota in Redis keeps changing')
  }

  /** This run is over. */
  async leave(): Promise<void> {
    this.close()
    await this.#inTurn(() => (this.#epoch === '' ? undefined : this.#exchange('leave')))
  }

  async #turn<Result>(decide: Decide<Row, Result>): Promise<Result> {
    let isFresh = this.#epoch !== '' && steadyMs(this.#options.clock) - this.#heardAt < FRESH_MS
    if (this.#epoch === '') isFresh = await this.#asked()
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { add, result, isAlways = false, onAdded } = decide(this.#takeNews())
      if (add.length === 0 && isFresh) return result
      const texts = add.map((row) => this.#options.form.format(row))
      const isAdded = await this.#exchange({ texts, isAlways })
      isFresh = true
      if (!isAdded || add.length === 0) continue
      onAdded?.(this.#takeNews().news)
      this.#known.push(...add)
      await this.#compactIfLong()
      return result
    }
    throw new FleetProblem('failed', 'The quota in Redis keeps changing')
  }

  async #asked(): Promise<true> {
    await this.#exchange(nothing)
    return true
  }

  #takeNews() {
    const [news, isWhole] = [this.#news, this.#isWhole]
    ;[this.#news, this.#isWhole] = [[], false]
    const run = () => this.run
    const lives = (other: string) => this.#live.has(other)
    return { news, isWhole, now: this.#now(), uncertainMs: this.#uncertainMs, run, lives }
  }

  #now(): number {
    return steadyMs(this.#options.clock) + this.#offsetMs
  }

  /** @returns whether the rows were added. After a call without an answer that is not known: the news have them then. */
  async #exchange(what: Added | 'look' | 'leave'): Promise<boolean> {
    const { isAdded, isLost } = await this.#call(what).catch((error) => this.#again(error, what))
    if (isLost) throw lost()
    return isAdded
  }

  /** Asks again until the server answers. @throws the error where it cannot pass, and after a while */
  async #again(error: unknown, what: Added | 'look' | 'leave'): Promise<Answer> {
    const { clock, patienceMs, onOutage, onReturn } = this.#options
    const until = steadyMs(clock) + patienceMs
    let last = error
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (!(last instanceof FleetProblem && last.isPassing)) throw last
      if (steadyMs(clock) >= until || this.#closing.signal.aborted) throw last
      if (last === error) onOutage?.(last)
      await clock.sleep(pauseMs, this.#closing.signal).catch(() => {})
      try {
        const answer = await this.#call(typeof what === 'string' ? what : nothing)
        onReturn?.()
        return { ...answer, isAdded: false }
      } catch (next) {
        last = next
      }
    }
  }

  async #call(what: Added | 'look' | 'leave'): Promise<Answer> {
    const { clock, link } = this.#options
    const isExpected = steadyMs(clock) - this.#heardAt < EXPECTS_FOR_MS
    const { texts, isAlways } = typeof what === 'string' ? nothing : what
    const how = typeof what === 'string' ? what : `${texts.length}${isAlways ? '+' : ''}`
    const given = [
      this.run,
      randomBytes(9).toString('base64url'),
      isExpected ? this.#now().toFixed(0) : '',
      this.#epoch,
    ]
    const own = [String(this.#seen), how, ...texts]
    const sentAt = steadyMs(clock)
    const answer = await link.run(quotaTurnScript, [...given, ...own])
    if (!Array.isArray(answer) || answer.length < 9) throw notTheQuota()
    const [now, epoch, since, last, isAdded, isWhole, isLost, news, live] = answer
    if (!Array.isArray(news) || !Array.isArray(live)) throw notTheQuota()
    this.#heardAt = steadyMs(clock)
    // A process that stood still takes an old answer, whose time has passed.
    const tookMs = Math.min(this.#heardAt - sentAt, LONGEST_ANSWER_MS)
    ;[this.#offsetMs, this.#uncertainMs] = [Number(now) - sentAt - tookMs, tookMs]
    if (isLost === 1) {
      this.#forget()
      return { isAdded: false, isLost: true }
    }
    const [from, to] = [this.#seen, Number(last)]
    ;[this.#epoch, this.#since, this.#seen] = [String(epoch), Number(since), to]
    this.#live = new Set(live.map(String))
    const parsed = news.flatMap((text: unknown) => this.#options.form.parse(String(text)) ?? [])
    this.#news = isWhole === 1 ? parsed : [...this.#news, ...parsed]
    this.#isWhole ||= isWhole === 1
    this.#known = isWhole === 1 ? parsed : [...this.#known, ...parsed]
    this.#size.now = isWhole === 1 ? news.length : this.#size.now + to - from
    return { isAdded: isAdded === 1, isLost: false }
  }

  /** The next turn reads all. */
  #forget(): void {
    ;[this.#epoch, this.#seen, this.#news, this.#isWhole] = ['', 0, [], true]
  }

  async #compactIfLong(): Promise<void> {
    if (this.#size.now < Math.max(this.#compactFrom, 2 * this.#size.compacted)) return
    try {
      const rows = await new RedisQuota({ ...this.#options, patienceMs: 0 }).#compacted()
      this.#size = { now: rows, compacted: rows }
    } catch (error) {
      // Another run makes them fewer.
      if (!(error instanceof FleetProblem)) throw error
      this.#size.compacted = this.#size.now
    }
  }

  /** @returns how many rows there are now */
  async #compacted(): Promise<number> {
    const rows = await this.look()
    const fewer = this.#options.form.compact(rows, this.#now())
    return (await this.#replaceBy(fewer)) ? fewer.length : rows.length
  }

  async #replaceBy(rows: readonly Row[]): Promise<boolean> {
    const texts = rows.map((row) => this.#options.form.format(row))
    const last = Number(await this.#options.link.run(quotaReplaceScript, [this.#epoch, String(this.#seen), ...texts]))
    return last > 0
  }
}

function notTheQuota(): FleetProblem {
  return new FleetProblem('failed', 'Redis answered with something else than the quota')
}

function lost(): FleetProblem {
  const hint = 'Run the same command again'
  return new FleetProblem('lost', 'Redis has lost what was counted: it was restarted, emptied or replaced', { hint })
}
