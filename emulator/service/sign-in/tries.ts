import { keepLatest } from '../latest.ts'

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
