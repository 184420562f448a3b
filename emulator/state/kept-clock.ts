import { type ClockMode, isSwitchableClock } from '../clock/clock.ts'
import { tellError } from '../emulator-error.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import type { SettingChanges } from '../settings/settings.ts'

interface PersistedSettingsContext extends Pick<EmulatorParts, 'records' | 'isDurable' | 'settings' | 'clock'> {
  /** Settings requested at this start; they override those of earlier runs. */
  readonly asked: ReadonlySet<string>
}

/** What a run leaves to the next. */
interface RunNote {
  /** What it changed. */
  readonly settings?: SettingChanges
  /** Present if the mode was switched during the run. */
  readonly mode?: ClockMode
  /** Epoch milliseconds; present unless the clock followed the system clock. */
  readonly now?: number
}

/**
 * Settings and clock of a data folder: changes made while an emulator ran, for the next run to begin with. Those of now
 * are the defaults, which need no saving.
 */
export function createPersistedSettings({ records, isDurable, settings, clock, asked }: PersistedSettingsContext) {
  const { notes, turns } = records
  // Without a folder there is no next run.
  if (!isDurable) return { restore: async () => {}, save() {}, flushed: turns.flushed }
  const start = { settings: settings.current, mode: clock.mode }
  let saved: readonly unknown[] = []
  const save = () => {
    const { mode } = clock
    const now = mode !== 'system' && isSwitchableClock(clock) ? clock.now() : undefined
    const held = [settings.current, mode, now]
    // Asked after every request; most change nothing.
    if (held.every((value, at) => value === saved[at])) return
    const isChanged = ([name, value]: [string, unknown]) => value !== Reflect.get(start.settings, name)
    const changes = Object.fromEntries(Object.entries(settings.current).filter(isChanged))
    notes.set('run', { settings: changes, now, ...(mode !== start.mode && { mode }) })
    saved = held
  }
  return {
    /** Makes the changes of earlier runs. */
    async restore() {
      const { settings: changes = {}, mode, now }: RunNote = Object(notes.get('run'))
      for (const [name, value] of Object.entries(changes).filter(([name]) => !asked.has(name))) {
        try {
          settings.update({ [name]: value })
        } catch (error) {
          // Another release may have other settings; the remaining ones still apply.
          tellError(error)
        }
      }
      if (!isSwitchableClock(clock)) return
      if (mode !== undefined) await clock.switchTo(mode)
      if (clock.mode !== 'system' && now !== undefined) await clock.set(now)
    },
    /** Saves what has changed since the last save; cheap if nothing has. */
    save,
    /** As that of the records, once the settings of now are saved with the rest. */
    async flushed(): Promise<void> {
      save()
      try {
        await turns.flushed()
      } catch (error) {
        // They may be undone: the next save writes them again.
        saved = []
        throw error
      }
    },
  }
}
