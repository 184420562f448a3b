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
/** The oldest are forgotten, so that browsers that never come back fill no memory. */
const mostKept = 1_000

export function createSessionMemory<Outcome>() {
  const keys = new Map<string, { readonly issued: IssuedKey; readonly until: number }>()
  /** By session and form token. */
  const outcomes = new Map<string, Promise<Outcome>>()

  return {
    putKey(idHash: string, issued: IssuedKey, now: number) {
      for (const [other, { until }] of keys) if (until <= now) keys.delete(other)
      keepLatest(keys, idHash, { issued, until: now + keptMs })
    },
    /** Gives a key once, for a minute of the service's clock. */
    takeKey(idHash: string, now: number): IssuedKey | undefined {
      const key = keys.get(idHash)
      keys.delete(idHash)
      return key !== undefined && now < key.until ? key.issued : undefined
    },
    /**
     * Runs an action once for a form token: while it runs, and after it succeeded, the same token gets the same outcome.
     * @param hasSucceeded otherwise the token can be used again
     */
    async once(
      { idHash, token }: Readonly<Record<'idHash' | 'token', string>>,
      action: () => Promise<Outcome>,
      hasSucceeded: (outcome: Outcome) => boolean,
    ): Promise<Outcome> {
      const form = `${idHash} ${token}`
      const before = outcomes.get(form)
      if (before !== undefined) return before
      const running = action()
      keepLatest(outcomes, form, running)
      const isUsed = await running.then(hasSucceeded, () => false)
      if (!isUsed) outcomes.delete(form)
      return running
    },
    drop(idHash: string) {
      keys.delete(idHash)
      for (const form of outcomes.keys()) if (form.startsWith(`${idHash} `)) outcomes.delete(form)
    },
    clear() {
      keys.clear()
      outcomes.clear()
    },
  }
}

/** What sessions have on the key page: a key on its way to the page that shows it, and forms that were sent. In memory only. */
export type SessionMemory<Outcome> = ReturnType<typeof createSessionMemory<Outcome>>

function keepLatest<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > mostKept && oldest !== undefined) map.delete(oldest)
}
