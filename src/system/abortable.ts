/**
 * The same result, or `signal.reason` as soon as the signal aborts. Removes its listener afterwards: a race against one
 * promise for the abort would keep every result in memory as long as the signal lives.
 */
export function orAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/**
 * The same chunks, but an abort ends the wait for the next one at once, even if the source is silent.
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
    // Not awaited: a silent source would never return.
    chunks.return?.().catch(() => {})
  }
}
