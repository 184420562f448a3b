import { anySignal, over } from '../../src/system/signals.ts'
import type { EmulatorClock } from '../clock/clock.ts'
import { type HttpRequest, RequestAbortedError } from '../http-types.ts'
import { ConnectionResetError } from './request/request-body.ts'

/**
 * Holds an answer back on the service's clock.
 * @throws RequestAbortedError if the client disconnects first, ConnectionResetError if the emulator closes first
 */
export type Delay = (ms: number, request: HttpRequest) => Promise<void>

/** @param closing aborts when the emulator begins to close: what only it holds back, it does not wait for */
export function createDelay(clock: Pick<EmulatorClock, 'pass'>, closing: AbortSignal): Delay {
  return async (ms, request) => {
    const gone = request.clientGone?.()
    const end = new AbortController()
    try {
      await clock.pass(ms, anySignal(gone === undefined ? [closing] : [gone, closing], end.signal))
    } catch (cause) {
      if (gone?.aborted !== true && closing.aborted) throw new ConnectionResetError(closedEarly, { cause })
      throw new RequestAbortedError('The client disconnected while its answer was delayed', { cause })
    } finally {
      end.abort(over)
    }
  }
}

const closedEarly = 'The connection was broken because the emulator closed while it held the answer back'
