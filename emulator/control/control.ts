import type { EmulatorClock } from '../clock.ts'
import type { Service } from '../service/service.ts'
import type { SettingChanges, Settings, SettingsStore } from '../settings.ts'
import { type AccountControl, createAccountControl } from './account-control.ts'
import { type ClockControl, createClockControl } from './clock-control.ts'
import { createRequestControl, type RequestControl } from './request-control.ts'
import { createUploadControl, type UploadControl } from './upload-control.ts'

/** The hands behind the stage: what the service's site, its visitors and its administrators would do. */
export interface Control {
  readonly accounts: AccountControl
  readonly clock: ClockControl
  readonly requests: RequestControl
  readonly settings: {
    get(): Settings
    /**
     * Changes some settings and answers all of them.
     * @throws TypeError naming the settings there are, or what one accepts
     */
    update(changes: SettingChanges): Settings
  }
  readonly uploads: UploadControl
}

export interface ControlContext {
  readonly service: Service
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  /** Where the website is now, without a slash at the end. */
  siteUrl(): string
}

export function createControl({ service, settings, clock, siteUrl }: ControlContext): Control {
  const presentation = () => ({ siteUrl: siteUrl(), timezone: settings.current.timezone })
  return {
    accounts: createAccountControl(service, clock),
    clock: createClockControl(clock),
    requests: createRequestControl(service.requests),
    settings: { get: () => settings.current, update: (changes) => settings.update(changes) },
    uploads: createUploadControl(service.uploads, presentation),
  }
}
