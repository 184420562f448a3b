import { isSwitchableClock } from '../clock/clock.ts'
import type { EmulatorParts } from '../emulator-parts.ts'

/** The clock of a data folder: a virtual one goes on where it stood. */
export function createKeptClock({ records, isDurable, clock }: Pick<EmulatorParts, 'records' | 'isDurable' | 'clock'>) {
  const { notes, turns } = records
  // Without a folder there is no next run, and a clock of the caller's is set by the caller.
  if (!isDurable || !isSwitchableClock(clock)) return { restore: async () => {}, save() {}, flushed: turns.flushed }
  let saved: number | undefined
  const save = () => {
    const now = clock.mode === 'system' ? undefined : clock.now()
    if (now === saved) return
    notes.set('clock', { now })
    saved = now
  }
  return {
    /** Sets the clock, unless it follows the system's. */
    async restore() {
      const { now }: { readonly now?: number } = Object(notes.get('clock'))
      if (clock.mode !== 'system' && now !== undefined) await clock.set(now)
    },
    /** Saves where the clock stands, if it has moved. */
    save,
    /** As that of the records, once the instant of now is saved with the rest. */
    async flushed(): Promise<void> {
      save()
      try {
        await turns.flushed()
      } catch (error) {
        // It may be undone: the next save writes it again.
        saved = undefined
        throw error
      }
    },
  }
}
