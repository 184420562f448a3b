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
/** Sessions, and form tokens of one; the oldest are forgotten, so that browsers that never come back fill no memory. */
const [mostSessions, mostTokens] = [1_000, 32] as const

interface Memory<Outcome> {
  key?: { readonly issued: IssuedKey; readonly until: number } | undefined
  readonly outcomes: Map<string, Promise<Outcome>>
}

export function createSessionMemory<Outcome>() {
  const memories = new Map<string, Memory<Outcome>>()
  const memoryOf = (idHash: string): Memory<Outcome> => {
    const memory = memories.get(idHash) ?? { outcomes: new Map() }
    memories.delete(idHash)
    memories.set(idHash, memory)
    dropOldest(memories, mostSessions)
    return memory
  }
  const keyOf = (memory: Memory<Outcome>, now: number) =>
    memory.key !== undefined && now < memory.key.until ? memory.key : undefined

  return {
    putKey(idHash: string, issued: IssuedKey, now: number) {
      for (const memory of memories.values()) memory.key = keyOf(memory, now)
      memoryOf(idHash).key = { issued, until: now + keptMs }
    },
    /** Gives a key once, for a minute of the service's clock. */
    takeKey(idHash: string, now: number): IssuedKey | undefined {
      const memory = memoryOf(idHash)
      const found = keyOf(memory, now)
      memory.key = undefined
      return found?.issued
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
      const { outcomes } = memoryOf(idHash)
      const before = outcomes.get(token)
      if (before !== undefined) return before
      const running = action()
      outcomes.set(token, running)
      dropOldest(outcomes, mostTokens)
      const isUsed = await running.then(hasSucceeded, () => false)
      if (!isUsed) outcomes.delete(token)
      return running
    },
    drop: (idHash: string) => void memories.delete(idHash),
    clear: () => memories.clear(),
  }
}

/** What sessions have on the key page: a key on its way to the page that shows it, and forms that were sent. In memory only. */
export type SessionMemory<Outcome> = ReturnType<typeof createSessionMemory<Outcome>>

function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
