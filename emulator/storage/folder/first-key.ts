import { closeSync, fsyncSync, ftruncateSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { nothingIfMissing, openOwnNow } from './own-file.ts'

/**
 * Remembers the key of the first account, which is shown at every start. Keys are kept as hashes only (spec 1), and this
 * one beside them: it is the developer's own and no secret.
 */
export interface FirstKey {
  /**
   * The latest key and the one before it: where the process ended in the middle of a change, the account may still have
   * the older one.
   */
  candidates(): readonly string[]
  remember(key: string): void
}

export function createMemoryFirstKey(): FirstKey {
  let keys: readonly string[] = []
  return {
    candidates: () => keys,
    remember(key) {
      keys = [key, ...keys].slice(0, 2)
    },
  }
}

/** Kept in a file for its owner's eyes; whole before and whole after a change. */
export function createFileFirstKey(path: string): FirstKey {
  const kept = createMemoryFirstKey()
  for (const key of readLines(path).reverse()) kept.remember(key)
  return {
    candidates: kept.candidates,
    remember(key) {
      kept.remember(key)
      const draft = `${path}.new`
      const file = openOwnNow(draft, 'write')
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
  let file: number | undefined
  try {
    file = openOwnNow(path, 'read')
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch (error) {
    return nothingIfMissing(error) ?? []
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
