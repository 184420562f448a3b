import { createQueue } from '../../src/system/queue.ts'
import { type ClockState, isSwitchableClock } from '../clock/clock.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import { type KeyAdvice, readSnapshot, type Snapshot, type SnapshotContent, writeSnapshot } from './snapshot.ts'
import { collectBlobs, storeBlobs } from './snapshot-blobs.ts'

export interface StateParts
  extends Pick<EmulatorParts, 'records' | 'blobs' | 'settings' | 'clock' | 'faults' | 'inventions' | 'exchanges'> {
  /** The start of the emulator's own clock; undefined if the caller gave one. */
  readonly clockStart: ClockState | undefined
  /**
   * Prepares the seed.
   * @returns a function that fills an empty store, synchronously
   */
  prepare(): Promise<() => void>
  /** Continues the work that the new records say is pending. */
  resume(): void
  /** What answers told clients. */
  readonly advice: { dump(): readonly KeyAdvice[]; load(advice: readonly KeyAdvice[]): void }
}

/** A reset returns to the settings that are in force now. */
export function createState(parts: StateParts) {
  const { records, blobs, settings, clock, clockStart, faults, inventions, exchanges, prepare, resume, advice } = parts
  const initialSettings = settings.current
  const inTurn = createQueue()

  /** Synchronous up to the removal of files, so that no request sees half of the change. */
  const replace = (next: Pick<SnapshotContent, 'settings'> & Partial<SnapshotContent>, fill: () => void) => {
    const left = records.uploads.blobIds()
    settings.update(next.settings)
    records.load(next.records)
    exchanges.forget()
    advice.load(next.advice ?? [])
    faults.load(next.faults ?? [])
    fill()
    resume()
    for (const id of left) blobs.remove(id)
  }
  const moveClock = async ({ mode, now }: ClockState) => {
    if (clockStart === undefined || !isSwitchableClock(clock)) return
    await clock.switchTo(mode)
    if (mode !== 'system' && now !== undefined) await clock.set(now)
  }

  return {
    /**
     * Returns to the initial state.
     * @throws SeedError if a file of the seed is gone; nothing changes then
     */
    reset: () =>
      inTurn(async () => {
        const applySeed = await prepare()
        if (clockStart !== undefined) await moveClock(clockStart)
        inventions.restart()
        replace({ settings: initialSettings }, applySeed)
      }),
    /** @throws SnapshotError if a file is damaged, or they are too large for a snapshot */
    snapshot: (): Promise<Snapshot> =>
      inTurn(async () => {
        const dump = records.dump()
        const { mode } = clock
        const moment = {
          clock: mode === 'system' ? { mode } : { mode, now: clock.now() },
          settings: settings.current,
          faults: faults.list(),
          advice: advice.dump(),
        }
        const { uploads, blobs: bytes } = await blobs.hold(collectBlobs(dump.uploads, blobs))
        return writeSnapshot({ ...moment, records: { ...dump, uploads }, blobs: bytes })
      }),
    /**
     * Replaces everything by a snapshot.
     * @throws SnapshotError saying what is wrong with it; nothing changes then
     */
    restore: (snapshot: unknown) =>
      inTurn(async () => {
        const content = readSnapshot(snapshot)
        const uploads = await storeBlobs({ uploads: content.records.uploads, blobs: content.blobs }, blobs)
        await moveClock(content.clock)
        replace({ ...content, records: { ...content.records, uploads } }, () => {})
      }),
  }
}

/**
 * All mutable state of an emulator. A reset or restore replaces the content of its parts, never the objects, so
 * references to them stay valid.
 *
 * Resets, snapshots and restores wait for each other. A request in progress continues with the new state. A clock that the caller gave to the emulator does not change.
 */
export type EmulatorState = ReturnType<typeof createState>
