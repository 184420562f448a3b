import { EmulatorError } from '../emulator-error.ts'

interface Turn {
  /** Never rejects. */
  begin(): Promise<void>
  refuse(reason: unknown): void
}

export function createTurns() {
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
    /**
     * Runs the work in its turn. Work that has begun ends even if its caller has gone.
     * @throws the signal's reason if it aborts; EmulatorError `emulator-closed`
     */
    async take<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
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
    /** How much work waits for its turn. */
    waiting: () => waiting.size,
    /** Refuses all work that has not begun. */
    close() {
      isClosed = true
      for (const turn of waiting) turn.refuse(closedError())
    },
  }
}

/** Runs slow work one at a time, so that the threads that read and write files stay free. */
export type Turns = ReturnType<typeof createTurns>
