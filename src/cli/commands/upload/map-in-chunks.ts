/** How much is asked of the file system at once: it answers a few questions at a time, whatever is queued. */
const SLICE = 256

/** As `Promise.all` over all items, in order, a slice at a time; so that a very long list can be stopped on its way. */
export async function inSlices<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal: AbortSignal,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += SLICE) {
    signal.throwIfAborted()
    for (const result of await Promise.all(items.slice(at, at + SLICE).map(work))) results.push(result)
  }
  return results
}
