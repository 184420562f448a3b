import { randomBytes } from 'node:crypto'
import { type Clock, startIdleTimer, steadyMs } from '../../clock.ts'
import { StoreError } from '../store-error.ts'
import script from './account.lua?text'
import type { RedisConnection } from './connection.ts'

/** As in account.lua: so long a run lives that Redis does not hear of. */
const LEASE_MS = 30_000
const BEAT_MS = LEASE_MS / 2
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

/** How long a call may wait for a server that cannot be reached. */
export interface Patience {
  readonly mostMs: number
  /** Ends the wait with its reason. */
  readonly stopping: AbortSignal
  /** Called before the first wait. */
  readonly onOutage?: ((error: StoreError) => void) | undefined
  /** Called after a wait, if the server answers again. */
  readonly onReturn?: (() => void) | undefined
}

/** The keys of an account, in the order of KEYS in account.lua. The braces keep them on one node of a cluster. */
export function accountKeys(account: string): readonly string[] {
  return ['state', 'rows', 'runs', 'uploads', 'slugs', 'items'].map((name) => `fh2:{${account}}:${name}`)
}

export interface RedisSessionOptions {
  readonly connection: Pick<RedisConnection, 'run'>
  readonly clock: Clock
}

/**
 * A run, as the others that share its account on a Redis server know it: each call is one step of one script, and keeps the run
 * alive for half a minute. Once the server may have lost something, a call fails, and the next one begins another epoch.
 */
export class RedisSession {
  /** Names this run. */
  readonly run = randomBytes(9).toString('base64url')
  readonly #connection: Pick<RedisConnection, 'run'>
  readonly #clock: Clock
  #epoch = ''
  #number = 0
  #since = 0
  #leasedAt = Number.NEGATIVE_INFINITY
  /** The server's time minus the clock's monotonic time, by the last answer: never too much. */
  #offsetMs = 0
  #uncertainMs = 0
  #isBeating = false
  #stopTimer = () => {}

  constructor({ connection, clock }: RedisSessionOptions) {
    this.#connection = connection
    this.#clock = clock
  }

  /** As long as nothing can be lost; empty before the first call, and after a loss. */
  get epoch(): string {
    return this.#epoch
  }

  /** Since when nothing was lost, in epoch milliseconds of the server. */
  get since(): number {
    return this.#since
  }

  /** The server's time, in epoch milliseconds. */
  now(): number {
    return steadyMs(this.#clock) + this.#offsetMs
  }

  /** How much later it may be there, in milliseconds. */
  get uncertainMs(): number {
    return this.#uncertainMs
  }

  /** Whether this process was silent for so long that others may have taken over what it sends. */
  isDoubtful(): boolean {
    return steadyMs(this.#clock) - this.#leasedAt > LEASE_MS - BEAT_MS / 3
  }

  /** The run lives until {@link close}, though it asks nothing. */
  stayAlive(): void {
    this.#isBeating = true
  }

  /** Runs a step of account.lua, which may be repeated. @throws StoreError, of failure `lost` once in each epoch */
  async ask(step: string, ...args: readonly string[]): Promise<{ epoch: string; found: readonly unknown[] }> {
    const sentAt = steadyMs(this.#clock)
    const known = [this.#epoch, String(this.#number)]
    const name = randomBytes(9).toString('base64url')
    const answer = await this.#connection.run(script, [this.run, name, ...known, step, ...args])
    if (!Array.isArray(answer) || !Array.isArray(answer[5]))
      throw new StoreError('refused', 'Redis answered with something else than was asked for')
    const [state, epoch, number, now, since, found] = answer
    this.#uncertainMs = steadyMs(this.#clock) - sentAt
    this.#offsetMs = Number(now) - sentAt - this.#uncertainMs
    if (state !== 'ok') {
      this.#epoch = ''
      throw lost()
    }
    // Answers may come in another order than they were given.
    this.#number = epoch === this.#epoch ? Math.max(this.#number, Number(number)) : Number(number)
    ;[this.#epoch, this.#since] = [String(epoch), Number(since)]
    this.#leasedAt = Math.max(this.#leasedAt, sentAt)
    this.#beatLater()
    return { epoch: String(epoch), found }
  }

  /**
   * Asks until the server answers.
   * @param again what is asked after an error, because what was sent may have arrived
   * @throws StoreError where it cannot pass, and after a while
   */
  async patiently<T>(first: () => Promise<T>, again: () => Promise<T>, patience: Patience): Promise<T> {
    try {
      return await first()
    } catch (error) {
      if (!isAway(error) || patience.mostMs <= 0) throw error
      patience.onOutage?.(error)
    }
    const until = steadyMs(this.#clock) + patience.mostMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await this.#clock.sleep(pauseMs, patience.stopping)
      let isBack = true
      try {
        return await again()
      } catch (error) {
        isBack = !isAway(error)
        if (isBack || steadyMs(this.#clock) >= until) throw error
      } finally {
        if (isBack) patience.onReturn?.()
      }
    }
  }

  /** This run is over, whether Redis hears of it or not. */
  async close(): Promise<void> {
    this.#isBeating = false
    this.#stopTimer()
    if (this.#epoch !== '') await this.ask('over').catch(() => {})
    this.#epoch = ''
  }

  #beatLater(ms = BEAT_MS): void {
    this.#stopTimer()
    if (!this.#isBeating) return
    const beat = () => void this.ask('beat').catch(() => this.#beatLater(LONGEST_PAUSE_MS))
    this.#stopTimer = startIdleTimer(this.#clock, ms, () => this.#isBeating && beat())
  }
}

function isAway(error: unknown): error is StoreError {
  return error instanceof StoreError && error.failure === 'unreachable'
}

export function lost(): StoreError {
  const message = 'Redis has lost what was counted: it was restarted, emptied or replaced'
  return new StoreError('lost', message, { hint: 'Run the same command again' })
}
