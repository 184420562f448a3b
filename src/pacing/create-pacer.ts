import { type Clock, steadyMs } from '../clock.ts'
import { over } from '../system/signals.ts'
import type { Later, Ledger } from './ledger.ts'
import {
  NeverFitsError,
  type PacingPermit,
  type PacingRequest,
  type PacingWait,
  type Quota,
  WaitTooLongError,
} from './pacer.ts'

/** The ledger is asked at least this often: the machine may sleep, its clock may be set, a limit may be unlearned. */
const LONGEST_STEP_MS = 60_000

interface Queued {
  readonly request: PacingRequest
  /** When `maxWaitMs` is over, by the clock's monotonic time. */
  readonly deadline: number
  readonly grant: (permit: PacingPermit) => void
  readonly reject: (reason: unknown) => void
}

/** A wait that ends this much later than it was told is another one: others may have used the quota meanwhile. */
const ANOTHER_WAIT_MS = 5_000

/**
 * Delays each request until no quota window can refuse it. One pacer serves all requests of a key; the client asks it for
 * a permit before each attempt and completes the permit afterwards. First come, first served: a small request must not take
 * a large one's slot.
 */
export class Pacer {
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #queue: Queued[] = []
  #isServing = false
  /** Ends the present wait after the queue has changed. */
  #wake = () => {}

  constructor({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }) {
    this.#ledger = ledger
    this.#clock = clock
  }

  /**
   * Resolves when the request may be sent.
   * @throws WaitTooLongError if that takes longer than `maxWaitMs`; NeverFitsError if no wait helps; `signal.reason`
   */
  async acquire(request: PacingRequest): Promise<PacingPermit> {
    const { signal, maxWaitMs } = request
    signal?.throwIfAborted()
    const { promise, resolve: grant, reject } = Promise.withResolvers<PacingPermit>()
    const queued: Queued = { request, deadline: steadyMs(this.#clock) + maxWaitMs, grant, reject }
    const abort = () => {
      this.#remove(queued)
      reject(signal?.reason)
      this.#wake()
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#queue.push(queued)
    // The first request's wait may exceed the newcomer's deadline.
    this.#wake()
    void this.#serve()
    return await promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** The windows as counted now. */
  windows(): Quota {
    return this.#ledger.windows()
  }

  /** Serves the queue until it is empty. */
  async #serve(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      try {
        await this.#serveHead(head)
      } catch (error) {
        this.#remove(head)
        head.reject(error)
      }
    }
    this.#isServing = false
    // The last request may have left while it waited.
    await this.#ledger.withdraw?.().catch(() => {})
  }

  /** Waits until the ledger grants the first request, or that request leaves the queue. */
  async #serveHead(head: Queued): Promise<void> {
    let told: number | undefined
    while (this.#queue[0] === head) {
      const askedAt = this.#clock.now()
      const reservation = await this.#ledger.reserve(head.request.cost)
      if (reservation.type === 'granted') return await this.#grant(head, reservation.id)
      if (reservation.type === 'never') throw new NeverFitsError(reservation.reason)
      const { verdict } = reservation
      // A duration from here on, because the clock may be set during the wait.
      const delayMs = delayOf(verdict.at, askedAt)
      this.#rejectOverdue(verdict, delayOf((verdict.soonest ?? verdict).at, askedAt), delayMs)
      if (this.#queue[0] === head && delayMs !== undefined) told = this.#tell(head, toWait(verdict, delayMs), told)
      // Its caller may have given up on being told.
      if (this.#queue[0] !== head) return
      await this.#waitUpTo(this.#stepMs(verdict, delayMs, askedAt))
    }
  }

  /**
   * Once for each wait: again only where it ends later, because the service says so or because the one that was told is over.
   * @returns when it ends by what was told, in monotonic time
   */
  #tell({ request }: Queued, wait: PacingWait, told: number | undefined): number {
    const now = steadyMs(this.#clock)
    const until = now + wait.delayMs
    const mayDiffer = wait.source !== 'ledger' || (told !== undefined && now >= told)
    if (told !== undefined && !(mayDiffer && until >= told + ANOTHER_WAIT_MS)) return told
    request.onWait?.(wait)
    return until
  }

  async #grant(head: Queued, id: string): Promise<void> {
    const permit: PacingPermit = {
      // A broken ledger must not lose the answer; it throws at the next reservation.
      complete: async (outcome) => await this.#ledger.settle(id, outcome).catch(() => {}),
    }
    if (this.#remove(head)) return head.grant(permit)
    // The caller gave up while the ledger was being asked.
    await permit.complete({ type: 'not-sent' })
  }

  /** Rejects every request whose deadline the first one's wait exceeds: none behind the first can be sent sooner. */
  #rejectOverdue(verdict: Later, leastMs: number | undefined, delayMs: number | undefined): void {
    const now = steadyMs(this.#clock)
    for (const queued of [...this.#queue]) {
      const isInTime = leastMs === undefined ? now < queued.deadline : now + leastMs <= queued.deadline
      if (isInTime) continue
      this.#remove(queued)
      queued.reject(new WaitTooLongError(toWait(verdict, delayMs)))
    }
  }

  #stepMs({ lookAt }: Later, delayMs: number | undefined, askedAt: number): number {
    const now = steadyMs(this.#clock)
    const leftMs = this.#queue.map(({ deadline }) => Math.max(deadline - now, 1))
    const steps = [delayMs, delayOf(lookAt, askedAt), ...leftMs].filter((ms) => ms !== undefined)
    return Math.min(LONGEST_STEP_MS, ...steps)
  }

  async #waitUpTo(ms: number): Promise<void> {
    const end = new AbortController()
    const woken = Promise.withResolvers<void>()
    this.#wake = woken.resolve
    try {
      await Promise.race([this.#clock.sleep(ms, end.signal), this.#ledger.changed(end.signal), woken.promise])
    } finally {
      end.abort(over)
    }
  }

  #remove(queued: Queued): boolean {
    const index = this.#queue.indexOf(queued)
    if (index === -1) return false
    this.#queue.splice(index, 1)
    return true
  }
}

/**
 * Whole milliseconds, for timers; undefined where the wait ends with another request. Never 0: instants are rounded, and a
 * clock that only moves for its sleepers would be asked for the same instant for ever.
 */
function delayOf(at: number | undefined, askedAt: number): number | undefined {
  return at === undefined ? undefined : Math.max(Math.ceil(at - askedAt), 1)
}

function toWait({ window, source }: Later, delayMs = 0): PacingWait {
  return { window, source, delayMs }
}
