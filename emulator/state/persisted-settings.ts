import type { ClockMode, EmulatorClock } from '../clock.ts'
import type { SettingName, Settings, SettingsStore } from '../settings/settings.ts'
import type { NoteRecords } from '../storage/record-store.ts'
import { isSwitchableClock } from '../switchable-clock.ts'

/** What was changed about an emulator while it ran, for the next run to begin with. */
export interface RunNotes {
  /** Takes up what an earlier run left. */
  recall(): Promise<void>
  /** Notes what has changed since it was last asked to; cheap where nothing has. */
  note(): void
}

export interface RunNotesContext {
  readonly notes: NoteRecords
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  /** The settings that were asked for by name at this start: they outdo what was changed in an earlier run. */
  readonly asked: ReadonlySet<string>
}

interface ClockNote {
  /** Present where it was switched while it ran. */
  readonly mode?: ClockMode
  /** Epoch milliseconds; present where the clock stood still. */
  readonly now?: number
}

/** To be created before anything is changed. */
export function createRunNotes({ notes, settings, clock, asked }: RunNotesContext): RunNotes {
  const start = { settings: settings.current, mode: clock.mode }
  let notedSettings: Settings | undefined
  let notedMode: ClockMode | undefined
  let notedNow: number | undefined

  const recallSettings = () => {
    for (const [name, value] of Object.entries(Object(notes.get('settings')))) {
      if (asked.has(name)) continue
      try {
        settings.update({ [name]: value })
      } catch (error) {
        // Another release may know other settings; the rest is still worth having.
        process.emitWarning(error instanceof Error ? error : String(error))
      }
    }
  }

  const recallClock = async () => {
    if (!isSwitchableClock(clock)) return
    const { mode, now }: ClockNote = Object(notes.get('clock'))
    if (mode !== undefined) await clock.switchTo(mode)
    if (clock.mode === 'virtual' && now !== undefined) await clock.set(now)
  }

  return {
    async recall() {
      recallSettings()
      await recallClock()
    },
    note() {
      if (settings.current !== notedSettings) {
        notes.put('settings', difference(start.settings, settings.current))
        notedSettings = settings.current
      }
      const { mode } = clock
      const now = isStill(clock) ? clock.now() : undefined
      if (mode === notedMode && now === notedNow) return
      notes.put('clock', { ...(mode !== start.mode && { mode }), ...(now !== undefined && { now }) })
      notedMode = mode
      notedNow = now
    },
  }
}

function isStill(clock: EmulatorClock): boolean {
  return clock.mode === 'virtual' && isSwitchableClock(clock)
}

function difference(from: Settings, to: Settings): Partial<Settings> {
  const names = Object.keys(to) as SettingName[]
  return Object.fromEntries(
    names.filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name])).map((name) => [name, to[name]]),
  )
}
