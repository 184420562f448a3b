import { setMaxListeners } from 'node:events'
import { createSystemClock, type EmulatorClock } from '../../clock.ts'
import type { HttpHandler } from '../../http-types.ts'
import { ConnectionResetError } from '../request/request-body.ts'

/** The requests that are being answered: a close waits for them, but not for ever. */
export interface OpenRequests {
  /** As the handler, until the close. @throws Error from then on */
  readonly handle: HttpHandler
  /** Aborts what has no connection that could be cut: bodies that are waited for, and answers that are held back. */
  readonly cut: AbortSignal
  /** Takes no more requests, and waits for those it has; those that have not ended after 5 s are cut. */
  close(): Promise<void>
}

/** How long open requests may go on once the emulator closes; in milliseconds. */
export const closeGraceMs = 5_000

/** @param clock the machine's unless given: who closes an emulator waits by it */
export function createOpenRequests(
  answer: HttpHandler,
  clock: Pick<EmulatorClock, 'sleep'> = createSystemClock(),
): OpenRequests {
  const open = new Set<Promise<unknown>>()
  const cutting = new AbortController()
  // Each request that waits listens; Node takes more than ten for a leak.
  setMaxListeners(0, cutting.signal)
  let isClosed = false
  return {
    cut: cutting.signal,
    async handle(request) {
      if (isClosed) throw new Error('The emulator is closed')
      const reply = answer(request)
      open.add(reply)
      try {
        return await reply
      } finally {
        open.delete(reply)
      }
    },
    async close() {
      isClosed = true
      const over = new AbortController()
      const settled = Promise.allSettled(open).then(() => over.abort())
      await clock.sleep(closeGraceMs, over.signal).catch(() => {})
      cutting.abort(new ConnectionResetError('The connection was broken because the emulator closed'))
      await settled
    },
  }
}
