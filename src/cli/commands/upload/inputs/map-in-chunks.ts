/** More concurrent calls gain nothing: Node runs only a few file system calls at a time. */
const CHUNK = 256

/** Like `Promise.all` over `items.map(work)`, but a chunk at a time, so that `signal` can stop a very long list. */
export async function mapInChunks<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal: AbortSignal,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += CHUNK) {
    signal.throwIfAborted()
    for (const result of await Promise.all(items.slice(at, at + CHUNK).map(work))) results.push(result)
  }
  return results
}
