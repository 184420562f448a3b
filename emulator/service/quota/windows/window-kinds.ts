import { type WindowKind, windowKinds, windowLengthMs, windowNames } from '../../../../src/protocol/rate-limits.ts'
import type { QuotaState, WindowUse } from '../../../storage/records.ts'
import { type Codec, unionOf } from '../../../values/codec.ts'
import { slidingCounter } from './sliding-counter.ts'
import { slidingWindow } from './sliding-window.ts'
import { alignedWindow, fixedWindow } from './stepped-window.ts'
import { tokenBucket } from './token-bucket.ts'
import type { WindowMoment, WindowRules } from './window-rules.ts'

/** By the value of the setting `quota_windows`. */
export const windowRules: Readonly<Record<WindowKind, WindowRules>> = {
  fixed: fixedWindow,
  aligned: alignedWindow,
  sliding: slidingWindow,
  sliding_counter: slidingCounter,
  token_bucket: tokenBucket,
}

const codecOf = (kind: WindowKind) => [kind, windowRules[kind].codec] as const

/** The charges of a window of any kind. */
export const windowUse = unionOf<WindowUse, unknown, 'kind'>(
  'kind',
  Object.fromEntries(windowKinds.map(codecOf)) as Record<WindowKind, Codec<WindowUse>>,
)

/**
 * Converts a use to another kind of window after the setting changed: the units that count now become one charge of
 * this instant.
 */
export function convertUse(kind: WindowKind, use: WindowUse | undefined, moment: WindowMoment): WindowUse | undefined {
  if (use === undefined || use.kind === kind) return use
  const units = windowRules[use.kind].used(use, moment)
  return units === 0 ? undefined : windowRules[kind].charged(undefined, units, moment)
}

/**
 * Removes future instants from windows after the clock was set back. The charges stay, as if the last had been made
 * just now: setting the clock back frees no units and adds no waiting time.
 * @returns the given state itself if it has no future instant
 */
export function clampToNow(state: QuotaState, now: number): QuotaState {
  const clamped: { -readonly [Name in keyof QuotaState]: QuotaState[Name] } = { ...state }
  let isChanged = false
  for (const name of windowNames) {
    const use = state[name]
    if (use === undefined) continue
    const present = windowRules[use.kind].clamped(use, { now, lengthMs: windowLengthMs[name] })
    clamped[name] = present
    isChanged ||= present !== use
  }
  return isChanged ? clamped : state
}
