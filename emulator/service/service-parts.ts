import type { EmulatorClock } from '../clock/clock.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blobs.ts'
import type { RecordStore } from '../storage/records.ts'
import type { ThumbnailMaker } from '../thumbnails/thumbnail-maker.ts'
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
