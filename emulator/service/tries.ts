const mostTries = 5
const triesWindowMs = 60_000

/** Counts tries to give a password, by the account they name. In memory only. */
export function createTries() {
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
    count: (email: string, now: number) => keepLatest(triesOf, email, [...recent(email, now), now]),
    /** After a right password. */
    forget: (email: string) => void triesOf.delete(email),
    clear: () => triesOf.clear(),
  }
}

/** So many that no honest user loses one; more would fill the memory. */
const mostKept = 1_000

/** Sets a value in a map that forgets what was set longest ago, for what strangers may send without end. */
export function keepLatest<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > mostKept && oldest !== undefined) map.delete(oldest)
}
