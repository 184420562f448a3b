import type { ClockMode, EmulatorClock } from '../clock.ts'
import type { ArmedFault, FaultBook } from '../faults/fault-book.ts'
import type { Settings, SettingsStore } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import { nothingKept, type RecordDump, type RecordStore } from '../storage/record-store.ts'
import { isSwitchableClock } from '../switchable-clock.ts'
import { readSnapshot, type Snapshot, writeSnapshot } from './snapshot.ts'
import { collectBlobs, removeBlobsOf, storeBlobs } from './snapshot-blobs.ts'

/**
 * The one root of everything about an emulator that changes. Its parts are the same objects for as long as it lives,
 * and what is in them is replaced, so that whoever holds a part never holds an old one.
 *
 * A request that is being answered meanwhile goes on with what it finds afterwards. A clock that somebody else gave
 * to the emulator stays as it is.
 */
export interface EmulatorState {
  /**
   * Makes everything as it was at the start.
   * @throws SeedError where a file of the seed is no longer there; everything is then as it was
   */
  reset(): Promise<void>
  /** @throws SnapshotError where the files are more than a snapshot can carry */
  snapshot(): Promise<Snapshot>
  /**
   * Puts a snapshot in the place of everything.
   * @throws SnapshotError saying why it cannot be; everything is then as it was
   */
  restore(snapshot: unknown): Promise<void>
}

/** Where a clock begins; a virtual one at an instant in epoch milliseconds. */
export interface ClockStart {
  readonly mode: ClockMode
  readonly nowMs?: number
}

export interface StateParts {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  /** Where a clock of the emulator's own begins; undefined for one that was given. */
  readonly clockStart: ClockStart | undefined
  readonly faults: FaultBook
  /**
   * Makes ready what is there at the start.
   * @returns what fills the empty store with it, in one turn
   */
  prepare(): Promise<() => void>
  /** Takes up what the records now say is under way. */
  resume(): void
}

/** What takes the place of what there is. */
interface Replacement {
  readonly records: RecordDump
  readonly settings: Settings
  readonly faults: readonly ArmedFault[]
}

/** The settings at this moment are those a reset goes back to. */
export function createState({
  records,
  blobs,
  settings,
  clock,
  clockStart,
  faults,
  prepare,
  resume,
}: StateParts): EmulatorState {
  const initialSettings = settings.current

  /** One turn in which nothing else runs: everything is replaced, or nothing. */
  const replace = async (next: Replacement, thenPlant: () => void) => {
    const { uploads } = records.dump()
    settings.update(next.settings)
    records.load(next.records)
    faults.load(next.faults)
    thenPlant()
    resume()
    await removeBlobsOf(uploads, blobs)
  }
  const moveClock = async (mode: ClockMode, nowMs: number | undefined) => {
    if (clockStart === undefined || !isSwitchableClock(clock)) return
    await clock.switchTo(mode)
    if (mode === 'virtual' && nowMs !== undefined) await clock.set(nowMs)
  }

  return {
    async reset() {
      const plant = await prepare()
      if (clockStart !== undefined) await moveClock(clockStart.mode, clockStart.nowMs)
      await replace({ records: nothingKept, settings: initialSettings, faults: [] }, plant)
    },
    async snapshot() {
      const dump = records.dump()
      const nowMs = clock.mode === 'virtual' ? clock.now() : undefined
      const moment = { clock: { mode: clock.mode, nowMs }, settings: settings.current, faults: faults.list() }
      const { uploads, blobs: bytes, missing } = await collectBlobs(dump.uploads, { records, blobs })
      return writeSnapshot({ ...moment, records: { ...dump, uploads }, blobs: bytes }, missing)
    },
    async restore(snapshot) {
      const content = readSnapshot(snapshot)
      const uploads = await storeBlobs({ uploads: content.records.uploads, blobs: content.blobs }, blobs)
      await moveClock(content.clock.mode, content.clock.nowMs)
      await replace({ ...content, records: { ...content.records, uploads } }, () => {})
    },
  }
}
