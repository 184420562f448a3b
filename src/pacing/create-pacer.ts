import { type Clock, steadyMs } from '../clock.ts'
import type { Later, Ledger } from './ledger.ts'
import {
  NeverFitsError,
  type PacingPermit,
  type PacingRequest,
  type PacingWait,
  type WaitSource,
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

/** What the caller was last told of a wait. */
interface Announced {
  readonly source: WaitSource
  /** By the clock's monotonic time. */
  readonly until: number
}

/** The end of one wait may differ by this much from look to look, because wall clock and monotonic clock drift apart. */
const SAME_END_MS = 1_000
/** A wait that ends this much later than it was told is another one: others may have used the quota meanwhile. */
const ANOTHER_WAIT_MS = 5_000

/** One queue for all requests of a key, first come, first served: a small request must not take a large one's slot. */
export function createPacer({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }) {
  const queue: Queued[] = []
  let isServing = false
  /** Ends the present wait after the queue has changed. */
  let wake = () => {}

  /** Serves the queue until it is empty. */
  async function serve(): Promise<void> {
    if (isServing) return
    isServing = true
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      try {
        await serveHead(head)
      } catch (error) {
        remove(head)
        head.reject(error)
      }
    }
    isServing = false
    // The last request may have left while it waited.
    await ledger.withdraw?.().catch(() => {})
  }

  /** Waits until the ledger grants the first request, or that request leaves the queue. */
  async function serveHead(head: Queued): Promise<void> {
    let announced: Announced | undefined
    while (queue[0] === head) {
      const askedAt = clock.now()
      const reservation = await ledger.reserve(head.request.cost, askedAt)
      if (reservation.type === 'granted') return await grant(head, reservation.id)
      if (reservation.type === 'never') throw new NeverFitsError(reservation.reason)
      const { verdict } = reservation
      // A duration from here on, because the clock may be set during the wait.
      const delayMs = delayOf(verdict, askedAt)
      rejectOverdue(verdict, delayOf(verdict.soonest ?? verdict, askedAt), delayMs)
      if (queue[0] === head) announced = announce(head, verdict, delayMs, announced)
      // Its caller may have given up on being told.
      if (queue[0] !== head) return
      await waitUpTo(stepMs(verdict, delayMs, askedAt))
    }
  }

  /** Once for each wait: again only where the service says otherwise, or where the wait is over and another one follows. */
  function announce(
    { request }: Queued,
    verdict: Later,
    delayMs: number | undefined,
    before: Announced | undefined,
  ): Announced | undefined {
    if (delayMs === undefined) return before
    const now = steadyMs(clock)
    const { source } = verdict
    const until = now + delayMs
    if (before !== undefined) {
      const isHeld = source !== 'ledger' && (source !== before.source || Math.abs(until - before.until) >= SAME_END_MS)
      const isOver = now >= before.until && until >= before.until + ANOTHER_WAIT_MS
      if (!isHeld && !isOver) return before
    }
    request.onWait?.(toWait(verdict, delayMs))
    return { source, until }
  }

  async function grant(head: Queued, id: string): Promise<void> {
    const permit: PacingPermit = {
      async complete(outcome) {
        try {
          await ledger.settle(id, outcome)
        } catch {
          // A broken ledger must not lose the answer; it throws at the next reservation.
        }
      },
    }
    if (remove(head)) return head.grant(permit)
    // The caller gave up while the ledger was being asked.
    await permit.complete({ type: 'not-sent' })
  }

  /** Rejects every request whose deadline the first one's wait exceeds: none behind the first can be sent sooner. */
  function rejectOverdue(verdict: Later, leastMs: number | undefined, delayMs: number | undefined): void {
    const now = steadyMs(clock)
    for (const queued of [...queue]) {
      const isInTime = leastMs === undefined ? now < queued.deadline : now + leastMs <= queued.deadline
      if (isInTime) continue
      remove(queued)
      queued.reject(new WaitTooLongError(toWait(verdict, delayMs)))
    }
  }

  /** @returns infinite where only the end of another request can change the verdict */
  function stepMs({ easesAt, lookAt }: Later, delayMs: number | undefined, askedAt: number): number {
    const lookMs = delayOf({ at: lookAt }, askedAt) ?? Number.POSITIVE_INFINITY
    const now = steadyMs(clock)
    const longest = easesAt === undefined && delayMs === undefined ? lookMs : Math.min(LONGEST_STEP_MS, lookMs)
    return Math.min(...queue.map(({ deadline }) => Math.max(deadline - now, 1)), delayMs ?? longest, longest)
  }

  async function waitUpTo(ms: number): Promise<void> {
    const end = new AbortController()
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    try {
      const slept = ms === Number.POSITIVE_INFINITY ? [] : [clock.sleep(ms, end.signal)]
      await Promise.race([...slept, ledger.changed(end.signal), woken])
    } finally {
      end.abort()
    }
  }

  function remove(queued: Queued): boolean {
    const index = queue.indexOf(queued)
    if (index === -1) return false
    queue.splice(index, 1)
    return true
  }

  return {
    /**
     * Resolves when the request may be sent.
     * @throws WaitTooLongError if that takes longer than `maxWaitMs`; NeverFitsError if no wait helps; `signal.reason`
     */
    acquire: (request: PacingRequest) =>
      new Promise<PacingPermit>((resolve, reject) => {
        const { signal, maxWaitMs } = request
        if (signal?.aborted) return reject(signal.reason)
        const abort = () => {
          remove(queued)
          reject(signal?.reason)
          wake()
        }
        const leave = () => signal?.removeEventListener('abort', abort)
        const queued: Queued = {
          request,
          deadline: steadyMs(clock) + maxWaitMs,
          grant: (permit) => {
            leave()
            resolve(permit)
          },
          reject: (reason) => {
            leave()
            reject(reason)
          },
        }
        signal?.addEventListener('abort', abort, { once: true })
        queue.push(queued)
        // The first request's wait may exceed the newcomer's deadline.
        wake()
        void serve()
      }),
    /** The windows as counted now. */
    windows: () => ledger.windows(clock.now()),
  }
}

/**
 * Delays each request until no quota window can refuse it. One pacer serves all requests of a key; the client asks it for
 * a permit before each attempt and completes the permit afterwards.
 */
export type Pacer = ReturnType<typeof createPacer>

/**
 * Whole milliseconds, for timers; undefined where the wait ends with another request. Never 0: instants are rounded, and a
 * clock that only moves for its sleepers would be asked for the same instant for ever.
 */
function delayOf({ at }: Pick<Later, 'at'>, askedAt: number): number | undefined {
  return at === undefined ? undefined : Math.max(Math.ceil(at - askedAt), 1)
}

function toWait({ window, source }: Later, delayMs = 0): PacingWait {
  return { window, source, delayMs }
}
