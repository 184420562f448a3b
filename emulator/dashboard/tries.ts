import { createSystemClock, type EmulatorClock } from '../clock/clock.ts'

/** Limits wrong tries, by address, in real time: the service's clock may stand still. */
export interface Tries {
  isAllowed(address: string): boolean
  /** Counts a wrong one. */
  note(address: string): void
}

const mostWrong = 5
const withinMs = 60_000
/** Beyond it, everyone waits: addresses without end are one guest. */
const mostAddresses = 1_000

/** @param clock the system clock by default */
export function createTries({ now }: Pick<EmulatorClock, 'now'> = createSystemClock()): Tries {
  const wrong = new Map<string, readonly number[]>()
  const recent = (address: string) => (wrong.get(address) ?? []).filter((at) => now() - at < withinMs)
  const forgetOld = () => {
    for (const address of wrong.keys()) if (recent(address).length === 0) wrong.delete(address)
  }
  return {
    isAllowed(address) {
      if (wrong.size >= mostAddresses) forgetOld()
      return recent(address).length < mostWrong && (wrong.size < mostAddresses || wrong.has(address))
    },
    note: (address) => void wrong.set(address, [...recent(address), now()]),
  }
}
