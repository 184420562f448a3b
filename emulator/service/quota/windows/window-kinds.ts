import type { WindowUse } from '../../../storage/window-use.ts'
import { slidingCounter } from './sliding-counter.ts'
import { slidingWindow } from './sliding-window.ts'
import { alignedWindow, fixedWindow } from './stepped-window.ts'
import { tokenBucket } from './token-bucket.ts'
import type { WindowKind, WindowMoment } from './window-kind.ts'

/** By the value of the setting `quota_windows`. */
const windowKinds: Readonly<Record<WindowUse['kind'], WindowKind>> = {
  fixed: fixedWindow,
  aligned: alignedWindow,
  sliding: slidingWindow,
  sliding_counter: slidingCounter,
  token_bucket: tokenBucket,
}

export function windowKind(name: WindowUse['kind']): WindowKind {
  return windowKinds[name]
}

/**
 * Converts a use to another kind of window after the setting changed: the units that count now become one charge of
 * this instant.
 */
export function convertUse(
  name: WindowUse['kind'],
  use: WindowUse | undefined,
  moment: WindowMoment,
): WindowUse | undefined {
  if (use === undefined || use.kind === name) return use
  const units = windowKinds[use.kind].used(use, moment)
  return units === 0 ? undefined : windowKinds[name].charged(undefined, units, moment)
}
