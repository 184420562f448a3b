const mostTries = 5
const triesWindowMs = 60_000

/** Far more than scrypt can be made to count within a minute; only a clock that stands still could reach it. */
const mostNames = 1_000

export function createTries() {
  /** The latest try last. */
  const triesOf = new Map<string, readonly number[]>()

  const recent = (email: string, now: number) =>
    (triesOf.get(email) ?? []).filter((at) => at <= now && at > now - triesWindowMs)

  return {
    /** When the next try is allowed; undefined: now. */
    refusedUntil(email: string, now: number): number | undefined {
      const tries = recent(email, now)
      return tries.length < mostTries ? undefined : Math.min(...tries) + triesWindowMs
    },
    /** Counts a try, before its outcome is known. */
    count(email: string, now: number) {
      const tries = [...recent(email, now), now]
      triesOf.delete(email)
      triesOf.set(email, tries)
      if (triesOf.size <= mostNames) return
      const [longestAgo] = triesOf.keys()
      if (longestAgo !== undefined) triesOf.delete(longestAgo)
    },
    /** After a right password. */
    forget: (email: string) => void triesOf.delete(email),
    clear: () => triesOf.clear(),
  }
}

/** Counts tries to give a password, by the account they name. In memory only. */
export type Tries = ReturnType<typeof createTries>
