import { type WindowKind, windowKinds } from '../../../../src/protocol/rate-limits.ts'
import type { WindowUse } from '../../../storage/record-types.ts'
import { type Codec, unionOf } from '../../../values/codec.ts'
import { slidingCounter } from './sliding-counter.ts'
import { slidingWindow } from './sliding-window.ts'
import { alignedWindow, fixedWindow } from './stepped-window.ts'
import { tokenBucket } from './token-bucket.ts'
import type { WindowRules } from './window-rules.ts'

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
  Object.fromEntries(windowKinds.map(codecOf)) as Record<WindowKind, Codec<WindowUse, unknown>>,
)
