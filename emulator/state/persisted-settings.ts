import { type ClockMode, type EmulatorClock, isSwitchableClock } from '../clock/clock.ts'
import { tellError } from '../emulator-error.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import type { Settings } from '../settings/settings.ts'

interface PersistedSettingsContext extends Pick<EmulatorParts, 'records' | 'isDurable' | 'settings' | 'clock'> {
  /** Settings requested at this start; they override those of earlier runs. */
  readonly asked: ReadonlySet<string>
}

interface PersistedClock {
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
  let savedSettings: Settings | undefined
  let savedMode: ClockMode | undefined
  let savedNow: number | undefined

  const restoreSettings = () => {
    for (const [name, value] of Object.entries(Object(notes.get('settings')))) {
      if (asked.has(name)) continue
      try {
        settings.update({ [name]: value })
      } catch (error) {
        // Another release may have other settings; the remaining ones still apply.
        tellError(error)
      }
    }
  }

  const restoreClock = async () => {
    if (!isSwitchableClock(clock)) return
    const { mode, now }: PersistedClock = Object(notes.get('clock'))
    if (mode !== undefined) await clock.switchTo(mode)
    if (clock.mode !== 'system' && now !== undefined) await clock.set(now)
  }

  const save = () => {
    if (settings.current !== savedSettings) {
      notes.set('settings', difference(start.settings, settings.current))
      savedSettings = settings.current
    }
    const { mode } = clock
    const now = isStill(clock) ? clock.now() : undefined
    if (mode === savedMode && now === savedNow) return
    notes.set('clock', { ...(mode !== start.mode && { mode }), ...(now !== undefined && { now }) })
    savedMode = mode
    savedNow = now
  }

  return {
    /** Makes the changes of earlier runs. */
    async restore() {
      restoreSettings()
      await restoreClock()
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
        savedSettings = undefined
        savedMode = undefined
        throw error
      }
    },
  }
}

function isStill(clock: EmulatorClock): boolean {
  return clock.mode !== 'system' && isSwitchableClock(clock)
}

function difference(from: Settings, to: Settings): Partial<Settings> {
  const names = Object.keys(to) as (keyof Settings)[]
  return Object.fromEntries(
    names.filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name])).map((name) => [name, to[name]]),
  )
}
