interface Turn {
  /** Never rejects. */
  begin(): Promise<void>
  refuse(reason: unknown): void
}

/** Runs slow work one at a time. */
export function createTurns() {
  const waiting = new Set<Turn>()
  let isBusy = false

  const beginNext = () => {
    const [turn] = waiting
    isBusy = turn !== undefined
    if (turn === undefined) return
    waiting.delete(turn)
    void turn.begin().then(beginNext)
  }

  return {
    /**
     * Runs the work in its turn. Work that has begun ends even if its caller has gone.
     * @throws the signal's reason if it aborts
     */
    async take<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
      signal?.throwIfAborted()
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
  }
}
