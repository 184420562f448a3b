import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

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

export function createForgetfulFirstKey(): FirstKey {
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
  const kept = createForgetfulFirstKey()
  for (const key of readLines(path).reverse()) kept.remember(key)
  return {
    candidates: kept.candidates,
    remember(key) {
      kept.remember(key)
      const draft = `${path}.new`
      rmSync(draft, { force: true })
      writeFileSync(draft, `${kept.candidates().join('\n')}\n`, { mode: 0o600, flush: true })
      renameSync(draft, path)
    },
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
