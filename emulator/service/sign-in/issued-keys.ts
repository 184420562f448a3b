/** A key that was just made, and when the one before was last used. */
export interface IssuedKey {
  readonly apiKey: string
  /** Null if the log has no request with the old key. */
  readonly oldKeyLastUse: KeyUse | null
}

export interface KeyUse {
  /** Epoch milliseconds. */
  readonly at: number
  readonly clientIp: string
}

const keptMs = 60_000
/** So that sessions whose browser never came back do not fill the memory. */
const mostKept = 1_000

export function createIssuedKeys() {
  const kept = new Map<string, { readonly key: IssuedKey; readonly until: number }>()
  return {
    put(idHash: string, key: IssuedKey, now: number) {
      for (const [other, { until }] of kept) if (now >= until) kept.delete(other)
      kept.delete(idHash)
      kept.set(idHash, { key, until: now + keptMs })
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
    },
    /** Gives a key once, for a minute of the service's clock. */
    take(idHash: string, now: number): IssuedKey | undefined {
      const found = kept.get(idHash)
      kept.delete(idHash)
      return found !== undefined && now < found.until ? found.key : undefined
    },
    drop: (idHash: string) => void kept.delete(idHash),
    clear: () => kept.clear(),
  }
}

/** Keys on their way to the page that shows them once. In memory only, by session. */
export type IssuedKeys = ReturnType<typeof createIssuedKeys>
