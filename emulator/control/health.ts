import { version } from '../../package.json'
import type { Service } from '../service/service.ts'
import type { ClockInfo } from './clock-control.ts'

/** The emulator is up, and this is how much it holds. */
export interface HealthInfo {
  readonly status: 'ok'
  /** The package's version. */
  readonly version: string
  readonly clock: ClockInfo
  /** Uploads of all accounts. */
  readonly uploads: number
  /** Requests in the log, and requests dropped from it. */
  readonly log: { readonly kept: number; readonly dropped: number }
  /** The sizes of all uploads together. */
  readonly bytes_stored: number
  /**
   * The parts of the control API, and `image_thumbnails` and `video_thumbnails` if this machine has the tools to make
   * them: without these, an image is its own thumbnail and a video gets a grey picture.
   */
  readonly capabilities: readonly string[]
}

export function healthOf(service: Service, clock: ClockInfo, capabilities: readonly string[]): HealthInfo {
  const { uploads, bytes } = service.totals()
  return {
    status: 'ok',
    version,
    clock,
    uploads,
    log: { kept: service.requests.kept(), dropped: service.requests.dropped() },
    bytes_stored: bytes,
    capabilities,
  }
}
