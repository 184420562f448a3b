import { EmulatorError } from '../../emulator-error.ts'

/** Runs slow work one at a time, so that the threads that read and write files stay free. */
export interface Turns {
  /**
   * Runs the work in its turn. Work that has begun ends even if its caller has gone.
   * @throws the signal's reason if it aborts; EmulatorError `emulator-closed`
   */
  take<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value>
  /** How much work waits for its turn. */
  waiting(): number
  /** Refuses all work that has not begun. */
  close(): void
}

interface Turn {
  /** Never rejects. */
  begin(): Promise<void>
  refuse(reason: unknown): void
}

export function createTurns(): Turns {
  const waiting = new Set<Turn>()
  let isBusy = false
  let isClosed = false

  const beginNext = () => {
    const [turn] = waiting
    isBusy = turn !== undefined
    if (turn === undefined) return
    waiting.delete(turn)
    void turn.begin().then(beginNext)
  }
  const closedError = () => new EmulatorError('emulator-closed', 'The emulator is closed')

  return {
    async take(work, signal) {
      signal?.throwIfAborted()
      if (isClosed) throw closedError()
      return new Promise((resolve, reject) => {
        const turn: Turn = {
          begin: () => work().then(resolve, reject).finally(forget),
          refuse(reason) {
            waiting.delete(turn)
            forget()
            reject(reason)
          },
        }
        const abort = () => turn.refuse(signal?.reason)
        const forget = () => signal?.removeEventListener('abort', abort)
        signal?.addEventListener('abort', abort, { once: true })
        waiting.add(turn)
        if (!isBusy) beginNext()
      })
    },
    waiting: () => waiting.size,
    close() {
      isClosed = true
      for (const turn of waiting) turn.refuse(closedError())
    },
  }
}
