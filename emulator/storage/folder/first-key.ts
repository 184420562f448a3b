import { closeSync, constants, fsyncSync, ftruncateSync, renameSync, writeFileSync } from 'node:fs'
import { openPrivateFile, readPrivateFile } from '../../../src/system/private-file.ts'
import { nothingIfMissing } from './own-entry.ts'

export function createMemoryFirstKey() {
  let keys: readonly string[] = []
  return {
    /**
     * The latest key and the one before: if the process ended during a change, the account may still have the older one.
     */
    candidates: () => keys,
    remember(key: string) {
      keys = [key, ...keys].slice(0, 2)
    },
  }
}

/**
 * Remembers the first account's key, which is shown at every start. Other keys are stored only as hashes (spec 1); this
 * one is the developer's own and no secret.
 */
export type FirstKey = ReturnType<typeof createMemoryFirstKey>

/** Stored in a private file, which a change replaces as a whole. */
export function createFileFirstKey(path: string): FirstKey {
  const kept = createMemoryFirstKey()
  for (const key of readLines(path).reverse()) kept.remember(key)
  return {
    candidates: kept.candidates,
    remember(key) {
      kept.remember(key)
      const draft = `${path}.new`
      const file = openPrivateFile(draft, constants.O_WRONLY | constants.O_CREAT, isAnyones)
      try {
        ftruncateSync(file)
        writeFileSync(file, `${kept.candidates().join('\n')}\n`)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(draft, path)
    },
  }
}

function readLines(path: string): string[] {
  try {
    return readPrivateFile(path, isAnyones).toString('utf8').split('\n').filter(Boolean)
  } catch (error) {
    return nothingIfMissing(error) ?? []
  }
}

/** A data folder may belong to another user, as a volume of a container does. */
function isAnyones(): boolean {
  return true
}
