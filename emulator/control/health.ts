import { version } from '../../package.json'
import type { Service } from '../service/service.ts'
import type { ClockInfo } from './clock-control.ts'

/** That the emulator answers, and how much it holds. */
export interface HealthInfo {
  readonly status: 'ok'
  /** Of the package. */
  readonly version: string
  readonly clock: ClockInfo
  /** Of all accounts together, as their bytes are. */
  readonly uploads: number
  /** Requests the log holds, and those it no longer does. */
  readonly log: { readonly kept: number; readonly dropped: number }
  /** What the uploads say they weigh. */
  readonly bytes_stored: number
  /**
   * The parts of the control API that there are, and `image_thumbnails` and `video_thumbnails` where this machine has what
   * makes them: without, an image is its own thumbnail, and a video's is a grey picture.
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
