import { shareSignal } from '../../../src/system/signals.ts'
import { createSystemClock, type EmulatorClock } from '../../clock/clock.ts'
import { EmulatorError } from '../../emulator-error.ts'
import type { HttpHandler } from '../../http-types.ts'
import { ConnectionResetError } from '../request/request-body.ts'

/** Tracks the requests in progress, so that closing can wait for them for a limited time. */
export interface OpenRequests {
  /** The handler until `close()`. @throws Error afterwards */
  readonly handle: HttpHandler
  /** Aborts requests that have no connection to cut: pending bodies and delayed replies. */
  readonly cut: AbortSignal
  /** Stops accepting requests and waits for those in progress; those still open after 5 s are cut. */
  close(): Promise<void>
}

/** How long requests in progress may take once the emulator closes, in milliseconds. */
export const closeGraceMs = 5_000

/** @param clock the system clock by default, since the caller of `close()` waits in real time */
export function createOpenRequests(
  answer: HttpHandler,
  clock: Pick<EmulatorClock, 'sleep'> = createSystemClock(),
): OpenRequests {
  const open = new Set<Promise<unknown>>()
  const cutting = new AbortController()
  // Every waiting request listens.
  shareSignal(cutting.signal)
  let isClosed = false
  return {
    cut: cutting.signal,
    async handle(request) {
      if (isClosed) throw new EmulatorError('emulator-closed', 'The emulator is closed')
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
      const done = new AbortController()
      const allDone = Promise.allSettled(open).then(() => done.abort())
      await clock.sleep(closeGraceMs, done.signal).catch(() => {})
      cutting.abort(new ConnectionResetError('The connection was broken because the emulator closed'))
      await allDone
    },
  }
}
