/**
 * The same chunks, but an abort ends the wait for the next one at once, also where the source stays silent.
 * @throws `signal.reason` when aborted
 */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  if (signal === undefined) {
    yield* source
    return
  }
  const chunks = source[Symbol.asyncIterator]()
  const { promise: aborted, release } = whenAborted(signal)
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), aborted])
      if (done) return
      yield value
    }
  } finally {
    release()
    // Not waited for: a source that stays silent would not end either.
    chunks.return?.().catch(() => {})
  }
}

/** Rejects with the signal's reason; `release` forgets the signal, which may live much longer. */
export function whenAborted(signal: AbortSignal): { readonly promise: Promise<never>; release(): void } {
  let release = () => {}
  const promise = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    release = () => signal.removeEventListener('abort', onAbort)
  })
  promise.catch(() => {})
  return { promise, release }
}
