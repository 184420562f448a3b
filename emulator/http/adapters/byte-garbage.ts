import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Node copies each chunk of a body, and V8 begins to free the copies once 32 MiB of them have gathered. A young
 * collection per 4 MiB takes about a millisecond and leaves half as much.
 */
const collectEveryBytes = 4_194_304

/** @param collect default: V8's collection of young objects, looked up when it is first needed */
export function createByteGarbage(collect: () => void = collectYoung()) {
  let left = 0
  return {
    /** Call for each chunk that is done with. */
    count(bytes: number) {
      left += bytes
      if (left < collectEveryBytes) return
      left = 0
      collect()
    },
  }
}

/** Frees what a stream leaves behind, every so many bytes. */
export type ByteGarbage = ReturnType<typeof createByteGarbage>

type Collector = (options: { readonly type: 'minor' }) => void

/** V8 gives its collector only to contexts made while a flag is set; elsewhere, none has it because of this. */
function collectYoung(): () => void {
  let found: Collector | undefined
  return () => {
    if (found === undefined) {
      setFlagsFromString('--expose-gc')
      const given: unknown = runInNewContext('globalThis.gc')
      setFlagsFromString('--no-expose-gc')
      // Other runtimes have none.
      found = typeof given === 'function' ? (given as Collector) : () => {}
    }
    found({ type: 'minor' })
  }
}
