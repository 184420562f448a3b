import { createHash } from 'node:crypto'

/**
 * The SHA-256 of what an upload sends, in hex, from the bytes themselves: the file is not read a second time.
 * @param isNeeded false where nothing keeps or compares it: then it is empty
 */
export function createSentHash(isNeeded: boolean) {
  const begin = () => (isNeeded ? createHash('sha256') : undefined)
  let hash = begin()
  return {
    restart() {
      hash = begin()
    },
    update: (bytes: Uint8Array) => void hash?.update(bytes),
    /** Of the whole file, once the attempt has sent it. */
    digest: () => hash?.copy().digest('hex') ?? '',
  }
}
