import { isSwitchableClock } from '../clock/clock.ts'
import type { EmulatorParts } from '../emulator-parts.ts'

/** The clock of a data folder: a virtual one goes on where it stood. */
export function keptClock({ records, isDurable, clock }: Pick<EmulatorParts, 'records' | 'isDurable' | 'clock'>) {
  const { notes, turns } = records
  // Without a folder there is no next run, and a clock of the caller's is set by the caller.
  if (!isDurable || !isSwitchableClock(clock)) return { restore: async () => {}, flushed: turns.flushed }
  const kept = (): number | undefined => Object(notes.get('clock')).now
  return {
    /** Sets the clock, unless it follows the system's. */
    async restore() {
      const now = kept()
      if (clock.mode !== 'system' && now !== undefined) await clock.set(now)
    },
    /** As that of the records, once the instant of now is written with the rest. */
    async flushed(): Promise<void> {
      if (clock.mode !== 'system' && clock.now() !== kept()) notes.set('clock', { now: clock.now() })
      await turns.flushed()
    },
  }
}
