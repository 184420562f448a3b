import { version } from '../../package.json'
import type { Upload } from '../../src/protocol/resources.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { settingListings } from '../settings/listing.ts'
import type { SettingChanges, Settings } from '../settings/settings.ts'
import type { Snapshot } from '../state/snapshot.ts'
import type { EmulatorState } from '../state/state.ts'
import type { UploadRecord } from '../storage/record-types.ts'
import { createAccountControl } from './account-control.ts'
import { type ClockInfo, createClockControl } from './clock-control.ts'
import type { EtiquetteReport } from './etiquette-report.ts'
import { createFaultControl } from './fault-control.ts'
import { createRequestControl, type ReportScope, reportOf } from './request-control.ts'
import { createUploadControl } from './upload-control.ts'

/** The emulator is up, and this is how much it holds. */
export interface HealthInfo {
  readonly status: 'ok'
  /** The package's version. */
  readonly version: string
  readonly clock: ClockInfo
  /** Uploads of all accounts. */
  readonly uploads: number
  /** The number of the newest request; requests in the log, and requests dropped from it. */
  readonly log: { readonly last: number; readonly kept: number; readonly dropped: number }
  /** The sizes of all uploads together. */
  readonly bytes_stored: number
  /**
   * The parts of the control API, and `image_thumbnails` if the package sharp is there: without it an image is its
   * own thumbnail. A video gets a grey picture.
   */
  readonly capabilities: readonly string[]
}

export interface ControlContext
  extends Pick<EmulatorParts, 'service' | 'exchanges' | 'settings' | 'clock' | 'faults' | 'flushed' | 'records'> {
  readonly state: EmulatorState
  /** An upload as the API shows it. */
  present(upload: UploadRecord): Upload
  openapi(): OpenApiDocument
  /** The thumbnail entries of {@link HealthInfo.capabilities}. */
  thumbnailCapabilities(): readonly string[]
}

export function createControl(context: ControlContext) {
  const { service, exchanges, settings, clock, faults, state, records } = context
  const { present, openapi, flushed, thumbnailCapabilities } = context
  const clockControl = createClockControl(clock)
  const health = (): HealthInfo => {
    const { uploads, bytes } = service.totals()
    const capabilities = [...Object.keys(control), ...thumbnailCapabilities()]
    const held = { version, clock: clockControl.get(), uploads, log: service.requests.state(), bytes_stored: bytes }
    return { status: 'ok', ...held, capabilities }
  }
  const control = {
    accounts: createAccountControl(service, clock),
    clock: clockControl,
    /** What a program needs to use the emulator; `fh emulate env` prints it. */
    connection() {
      const key = records.firstKey.get()
      return {
        /** The first account's current key; null if it is unknown because the accounts came from a snapshot. */
        api_key: key !== undefined && records.accounts.findByKey(key) !== undefined ? key : null,
        /** The quotas of every account without its own. */
        quotas: settings.current.quotas,
      }
    },
    faults: createFaultControl(faults),
    health,
    /** OpenAPI 3.1 of the service's five calls. */
    openapi,
    /**
     * How well clients behaved: which answers they ignored and which units they wasted.
     * @throws TypeError saying what a field of the scope takes
     */
    report: (scope: ReportScope = {}): EtiquetteReport => reportOf(service.requests, scope),
    requests: createRequestControl({ log: service.requests, exchanges, flushed }),
    /** Returns to the initial state, including the first account's key. */
    async reset(): Promise<HealthInfo> {
      await state.reset()
      return health()
    },
    settings: {
      get: (): Settings => settings.current,
      /**
       * Changes some settings and returns all of them.
       * @throws SettingError, a TypeError, listing the settings or what one of them takes
       */
      update: (changes: SettingChanges): Settings => settings.update(changes),
      /** Every setting with what it decides and takes, and its value in each dialect. */
      types: settingListings,
    },
    state: {
      /**
       * The whole state, including files.
       * @throws SnapshotError if the files exceed 128 MiB
       */
      get: (): Promise<Snapshot> => state.snapshot(),
      /**
       * Replaces everything by a snapshot of this emulator or another.
       * @throws SnapshotError saying what is wrong with it; nothing changes then
       */
      async restore(snapshot: Snapshot): Promise<HealthInfo> {
        await state.restore(snapshot)
        return health()
      },
    },
    uploads: createUploadControl(service, present),
  }
  return control
}

/**
 * Everything a test can do to the emulator: administrator and visitor actions, clock, faults, state. The control API
 * offers the same calls over HTTP, with the same names and shapes.
 */
export type Control = ReturnType<typeof createControl>
export type ConnectionInfo = ReturnType<Control['connection']>
export type SettingsControl = Control['settings']
export type StateControl = Control['state']
