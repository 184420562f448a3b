import type { Upload } from '../../src/protocol/resources.ts'
import type { EmulatorClock } from '../clock.ts'
import type { FaultBook } from '../faults/fault-book.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Service } from '../service/service.ts'
import type { SettingChanges, Settings, SettingsStore } from '../settings/settings.ts'
import type { Snapshot } from '../state/snapshot.ts'
import type { EmulatorState } from '../state/state.ts'
import type { FirstKey } from '../storage/folder/first-key.ts'
import type { UploadRecord } from '../storage/record-store.ts'
import { type AccountControl, createAccountControl } from './account-control.ts'
import { type ClockControl, createClockControl } from './clock-control.ts'
import { type ConnectionInfo, connectionOf } from './connection.ts'
import type { EtiquetteReport } from './etiquette-report.ts'
import { createFaultControl, type FaultControl } from './fault-control.ts'
import { type HealthInfo, healthOf } from './health.ts'
import { createRequestControl, type ReportScope, type RequestControl, reportOf } from './request-control.ts'
import { createUploadControl, type UploadControl } from './upload-control.ts'

/**
 * The hands behind the stage: what the service's site, its visitors and its administrators would do, and what only a
 * test wants. The control API over HTTP is these calls and nothing else, with the same names and shapes.
 */
export interface Control {
  readonly accounts: AccountControl
  readonly clock: ClockControl
  readonly faults: FaultControl
  readonly requests: RequestControl
  readonly settings: SettingsControl
  readonly state: StateControl
  readonly uploads: UploadControl
  /** What `fh emulate env` prints; the emulator's first key is no secret to its own machine. */
  connection(): ConnectionInfo
  health(): HealthInfo
  /** OpenAPI 3.1 of the service's five calls. */
  openapi(): OpenApiDocument
  /**
   * How clients behaved: what they were told and did not heed, and what they wasted.
   * @throws TypeError saying what a part of the scope takes
   */
  report(scope?: ReportScope): EtiquetteReport
  /** Makes everything as it was at the start; the first account has the key it had then. */
  reset(): Promise<HealthInfo>
}

export interface SettingsControl {
  get(): Settings
  /**
   * Changes some settings and answers all of them.
   * @throws TypeError naming the settings there are, or what one accepts
   */
  update(changes: SettingChanges): Settings
}

export interface StateControl {
  /**
   * The whole state, bytes of files included.
   * @throws SnapshotError where the files add up to more than 128 MiB
   */
  get(): Promise<Snapshot>
  /**
   * Puts a snapshot, of this emulator or another, in the place of everything.
   * @throws SnapshotError saying why it cannot be; everything is then as it was
   */
  restore(snapshot: Snapshot): Promise<HealthInfo>
}

export interface ControlContext {
  readonly service: Service
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  readonly faults: FaultBook
  readonly state: EmulatorState
  readonly firstKey: FirstKey
  /** The uploads an account shows to the API, in its form. */
  present(upload: UploadRecord): Upload
  openapi(): OpenApiDocument
  /** Resolves once what was changed so far is safe. */
  settled(): Promise<void>
  /** What this machine can make thumbnails of, as {@link HealthInfo.capabilities} names it. */
  thumbnailCapabilities(): readonly string[]
}

export function createControl(context: ControlContext): Control {
  const { service, settings, clock, faults, state, firstKey, present, openapi, settled, thumbnailCapabilities } =
    context
  const clockControl = createClockControl(clock)
  const health = () => healthOf(service, clockControl.get(), [...Object.keys(control), ...thumbnailCapabilities()])
  const control: Control = {
    accounts: createAccountControl(service, clock),
    clock: clockControl,
    connection: () => connectionOf({ accounts: service.accounts, firstKey, settings }),
    faults: createFaultControl(faults),
    health,
    openapi,
    report: (scope = {}) => reportOf(service.requests, scope),
    requests: createRequestControl({ feed: service.requests, settled }),
    async reset() {
      await state.reset()
      return health()
    },
    settings: {
      get: () => settings.current,
      update: (changes) => settings.update(changes),
    },
    state: {
      get: () => state.snapshot(),
      async restore(snapshot) {
        await state.restore(snapshot)
        return health()
      },
    },
    uploads: createUploadControl(service, present),
  }
  return control
}
