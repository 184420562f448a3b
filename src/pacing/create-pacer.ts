import { type Clock, steadyMs } from '../clock.ts'
import type { Ledger, Verdict } from './ledger.ts'
import { NeverFitsError } from './never-fits.ts'
import { type Pacer, type PacingRequest, type PacingTicket, type PacingWait, WaitTooLongError } from './pacer.ts'

export interface PacerOptions {
  readonly ledger: Ledger
  readonly clock: Clock
}

/** A machine may sleep, a clock may be set, a limit may be unlearned: no request waits longer without asking again. */
const LONGEST_STEP_MS = 60_000

interface Queued {
  readonly request: PacingRequest
  /** When its patience ends, by the clock's monotonic time. */
  readonly deadline: number
  readonly grant: (ticket: PacingTicket) => void
  readonly reject: (reason: unknown) => void
}

type Later = Verdict & { readonly type: 'later' }

/** What a clock and a monotonic one may go apart by between two looks at the same end of a wait. */
const SAME_END_MS = 1_000

/** One queue for all requests of a key, first come, first served: a small request must not cost a large one its slot. */
export function createPacer({ ledger, clock }: PacerOptions): Pacer {
  const queue: Queued[] = []
  let isServing = false
  /** Ends the present wait, because the queue has changed. */
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
  }

  /** Lets the first of the queue through as soon as the ledger does, unless it goes away before. */
  async function serveHead(head: Queued): Promise<void> {
    let told: Later | undefined
    while (queue[0] === head) {
      const askedAt = clock.now()
      const reservation = await ledger.reserve(head.request.cost, askedAt)
      if (reservation.type === 'granted') return await grant(head, reservation.id)
      if (reservation.type === 'never') throw new NeverFitsError(reservation.reason)
      const { verdict } = reservation
      // From here on it is a duration: the clock may be set while it lasts.
      const delayMs = delayOf(verdict, askedAt)
      rejectImpatient(verdict, delayMs)
      if (queue[0] !== head) return
      if (delayMs !== undefined && !isSame(verdict, told)) head.request.onWait?.(toWait(verdict, delayMs))
      told = verdict
      await waitUpTo(stepMs(delayMs))
    }
  }

  async function grant(head: Queued, id: string): Promise<void> {
    const ticket: PacingTicket = {
      async settle(outcome) {
        try {
          await ledger.settle(id, outcome)
        } catch {
          // An answer must not be lost with its count: a ledger that is broken says so at the next reservation.
        }
      },
    }
    if (remove(head)) return head.grant(ticket)
    // Given up while the ledger was being asked.
    await ticket.settle({ type: 'not-sent' })
  }

  /** Whoever can be told now that it will take too long is told now: nobody behind the first comes sooner than it. */
  function rejectImpatient(verdict: Later, delayMs: number | undefined): void {
    const now = steadyMs(clock)
    for (const queued of [...queue]) {
      const isBorne = delayMs === undefined ? now < queued.deadline : now + delayMs <= queued.deadline
      if (isBorne) continue
      remove(queued)
      queued.reject(new WaitTooLongError(toWait(verdict, delayMs)))
    }
  }

  function stepMs(delayMs: number | undefined): number {
    if (delayMs !== undefined) return Math.min(delayMs, LONGEST_STEP_MS)
    const now = steadyMs(clock)
    return Math.min(...queue.map(({ deadline }) => deadline - now), LONGEST_STEP_MS)
  }

  async function waitUpTo(ms: number): Promise<void> {
    const end = new AbortController()
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    try {
      await Promise.race([clock.sleep(ms, end.signal), ledger.changed(end.signal), woken])
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
    acquire: (request) =>
      new Promise((resolve, reject) => {
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
          grant: (ticket) => {
            leave()
            resolve(ticket)
          },
          reject: (reason) => {
            leave()
            reject(reason)
          },
        }
        signal?.addEventListener('abort', abort, { once: true })
        queue.push(queued)
        // The one who waits at the head knows how long it takes at least, and the newcomer may not bear that.
        wake()
        void serve()
      }),
    windows: () => ledger.windows(clock.now()),
  }
}

/** Undefined where it depends on a settlement; whole milliseconds, as timers know no others. */
function delayOf({ at }: Later, askedAt: number): number | undefined {
  return at === undefined ? undefined : Math.max(Math.ceil(at - askedAt), 0)
}

function toWait({ window, source }: Later, delayMs = 0): PacingWait {
  return { window, source, delayMs }
}

function isSame(verdict: Later, other: Later | undefined): boolean {
  const apartMs = Math.abs((verdict.at ?? 0) - (other?.at ?? 0))
  return apartMs < SAME_END_MS && verdict.window === other?.window && verdict.source === other?.source
}
