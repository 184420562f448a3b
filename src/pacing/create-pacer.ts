import type { Clock } from '../clock.ts'
import type { Ledger, Verdict } from './ledger.ts'
import { NeverFitsError } from './never-fits.ts'
import { type Pacer, type PacingRequest, type PacingTicket, type PacingWait, WaitTooLongError } from './pacer.ts'

export interface PacerOptions {
  readonly ledger: Ledger
  readonly clock: Clock
}

/** A machine may sleep, its clock may be set, a limit may be unlearned: nobody waits longer without asking again. */
const LONGEST_STEP_MS = 60_000

interface Queued {
  readonly request: PacingRequest
  /** When its patience ends. */
  readonly deadline: number
  readonly grant: (ticket: PacingTicket) => void
  readonly reject: (reason: unknown) => void
}

type Later = Verdict & { readonly type: 'later' }

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
      const reservation = await ledger.reserve(head.request.cost, clock.now())
      if (reservation.type === 'granted') return await grant(head, reservation.id)
      if (reservation.type === 'never') throw new NeverFitsError(reservation.reason)
      const { verdict } = reservation
      const now = clock.now()
      rejectImpatient(verdict, now)
      if (queue[0] !== head) return
      if (verdict.at !== undefined && !isSame(verdict, told)) head.request.onWait?.(toWait(verdict, now))
      told = verdict
      await waitUpTo(stepMs(verdict, now))
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
  function rejectImpatient(verdict: Later, now: number): void {
    for (const queued of [...queue]) {
      const isBorne = verdict.at === undefined ? now < queued.deadline : verdict.at <= queued.deadline
      if (isBorne) continue
      remove(queued)
      queued.reject(new WaitTooLongError(toWait(verdict, now)))
    }
  }

  function stepMs({ at }: Later, now: number): number {
    const deadlines = at === undefined ? queue.map(({ deadline }) => deadline) : []
    return Math.min(
      ...deadlines.map((deadline) => deadline - now),
      (at ?? Number.POSITIVE_INFINITY) - now,
      LONGEST_STEP_MS,
    )
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
          deadline: clock.now() + maxWaitMs,
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

function toWait({ at, window, source }: Later, now: number): PacingWait {
  return { window, source, delayMs: Math.max((at ?? now) - now, 0) }
}

function isSame(verdict: Later, other: Later | undefined): boolean {
  return verdict.at === other?.at && verdict.window === other?.window && verdict.source === other?.source
}
