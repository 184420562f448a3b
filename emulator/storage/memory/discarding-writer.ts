import type { BlobWriter } from '../blob-store.ts'

/** The same writer, but what fails leaves nothing behind: nobody may be left to discard what a full disk has no room for. */
export function discardingOnFailure({ id, write, commit, discard }: BlobWriter): BlobWriter {
  const discardAndThrow = async (error: unknown): Promise<never> => {
    // Why it could not be stored says more than why it could not be removed.
    await discard().catch(() => {})
    throw error
  }
  return {
    id,
    write: (chunk) => write(chunk).catch(discardAndThrow),
    commit: () => commit().catch(discardAndThrow),
    discard,
  }
}
