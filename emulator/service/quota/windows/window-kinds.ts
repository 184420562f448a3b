import type { WindowUse } from '../../../storage/window-use.ts'
import { alignedWindow } from './aligned-window.ts'
import { fixedWindow } from './fixed-window.ts'
import { slidingCounter } from './sliding-counter.ts'
import { slidingWindow } from './sliding-window.ts'
import { tokenBucket } from './token-bucket.ts'
import type { Moment, WindowKind } from './window-kind.ts'

/** The kinds of window, by the name of the setting. */
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
 * A use in the form of a kind. Where it has that of another, because the setting was changed, what counts now is
 * taken over as one charge of this instant, so that nobody gains or loses units by the change.
 */
export function ofKind(name: WindowUse['kind'], use: WindowUse | undefined, moment: Moment): WindowUse | undefined {
  if (use === undefined || use.kind === name) return use
  const units = windowKinds[use.kind].used(use, moment)
  return units === 0 ? undefined : windowKinds[name].charged(undefined, units, moment)
}
