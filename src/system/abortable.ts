/**
 * The same result, or `signal.reason` as soon as the signal aborts. The signal is forgotten once there is a result:
 * racing every result against one promise for the abort would keep all of them for as long as the signal lives.
 */
export function orAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

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
  try {
    for (;;) {
      const { done, value } = await orAborted(chunks.next(), signal)
      if (done) return
      yield value
    }
  } finally {
    // Not waited for: a source that stays silent would not end either.
    chunks.return?.().catch(() => {})
  }
}
