/** Form tokens that have had their effect, by session. In memory only. */
export interface UsedTokens<Outcome> {
  /**
   * Runs an action once for a token: while it runs, and after it succeeded, the same token gets the same outcome.
   * @param hasSucceeded otherwise the token can be used again
   */
  once(
    idHash: string,
    token: string,
    action: () => Promise<Outcome>,
    hasSucceeded: (outcome: Outcome) => boolean,
  ): Promise<Outcome>
  drop(idHash: string): void
  clear(): void
}

/** Of one session; the oldest are forgotten. */
const mostTokens = 32
const mostSessions = 1_000

export function createUsedTokens<Outcome>(): UsedTokens<Outcome> {
  const bySession = new Map<string, Map<string, Promise<Outcome>>>()
  return {
    async once(idHash, token, action, hasSucceeded) {
      const outcomes = bySession.get(idHash) ?? new Map<string, Promise<Outcome>>()
      const before = outcomes.get(token)
      if (before !== undefined) return before
      const running = action()
      outcomes.set(token, running)
      bySession.set(idHash, outcomes)
      dropOldest(outcomes, mostTokens)
      dropOldest(bySession, mostSessions)
      const isUsed = await running.then(hasSucceeded, () => false)
      if (!isUsed) outcomes.delete(token)
      return running
    },
    drop: (idHash) => void bySession.delete(idHash),
    clear: () => bySession.clear(),
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
