import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Node copies each chunk of a body, and V8 begins to free the copies once 32 MiB of them have gathered. A young
 * collection per 4 MiB takes about a millisecond and leaves half as much.
 */
const collectEveryBytes = 4_194_304
let left = 0
let collect: ((options: { readonly type: 'minor' }) => void) | undefined

/** Call for each chunk that is done with: frees what streams leave behind, every so many bytes. */
export function countGarbage(bytes: number): void {
  left += bytes
  if (left < collectEveryBytes) return
  left = 0
  collect ??= youngCollector()
  collect({ type: 'minor' })
}

/** V8 gives its collection of young objects only to contexts made while a flag is set; other runtimes have none. */
function youngCollector(): NonNullable<typeof collect> {
  setFlagsFromString('--expose-gc')
  const given: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  return typeof given === 'function' ? (given as NonNullable<typeof collect>) : () => {}
}
