import type { EmulatorClock } from '../clock/clock.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blobs.ts'
import type { RecordStore } from '../storage/records.ts'
import type { Inventions } from './inventions.ts'

/** What the service is built on. */
export interface ServiceParts {
  readonly records: RecordStore
  readonly blobs: BlobStore
  /** Whether the records outlast this process. */
  readonly isDurable: boolean
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  readonly inventions: Inventions
  readonly makeThumbnail: ThumbnailMaker
}

/** A stored file that needs a thumbnail. */
export interface ThumbnailSource {
  /** A media type that the service accepts. */
  readonly mimeType: string
  readonly sizeBytes: number
  /** All its bytes. */
  read(): AsyncIterable<Uint8Array>
  /** A read-only file with its bytes, to avoid holding them in memory; only of one larger than a MiB. */
  path(): string
}

/**
 * Makes a small JPEG of a file, within a time limit.
 * @returns `itself` if the file serves as its own thumbnail, `placeholder` for a grey picture, undefined if the file
 * yields none; it may also throw then
 */
export type ThumbnailMaker = (
  source: ThumbnailSource,
  signal: AbortSignal,
) => Promise<Uint8Array | 'itself' | 'placeholder' | undefined>
