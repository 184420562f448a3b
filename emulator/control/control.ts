import type { Upload } from '../../src/protocol/resources.ts'
import type { EmulatorClock } from '../clock.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Service } from '../service/service.ts'
import type { SettingChanges, Settings, SettingsStore } from '../settings.ts'
import type { Snapshot } from '../state/snapshot.ts'
import type { EmulatorState } from '../state/state.ts'
import type { UploadRecord } from '../storage/record-store.ts'
import { type AccountControl, createAccountControl } from './account-control.ts'
import { type ClockControl, createClockControl } from './clock-control.ts'
import { type HealthInfo, healthOf } from './health.ts'
import { createRequestControl, type RequestControl } from './request-control.ts'
import { createUploadControl, type UploadControl } from './upload-control.ts'

/**
 * The hands behind the stage: what the service's site, its visitors and its administrators would do, and what only a
 * test wants. The control API over HTTP is these calls and nothing else, with the same names and shapes.
 */
export interface Control {
  readonly accounts: AccountControl
  readonly clock: ClockControl
  readonly requests: RequestControl
  readonly settings: SettingsControl
  readonly state: StateControl
  readonly uploads: UploadControl
  health(): HealthInfo
  /** OpenAPI 3.1 of the service's five calls. */
  openapi(): OpenApiDocument
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
  readonly state: EmulatorState
  /** The uploads an account shows to the API, in its form. */
  present(upload: UploadRecord): Upload
  openapi(): OpenApiDocument
}

export function createControl({ service, settings, clock, state, present, openapi }: ControlContext): Control {
  const clockControl = createClockControl(clock)
  const health = () => healthOf(service, clockControl.get(), Object.keys(control))
  const control: Control = {
    accounts: createAccountControl(service, clock),
    clock: clockControl,
    health,
    openapi,
    requests: createRequestControl(service.requests),
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
