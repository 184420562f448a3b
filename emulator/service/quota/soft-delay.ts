import type { Settings } from '../../settings/settings.ts'
import type { WindowStanding } from './quota-window.ts'

/** From this share of the minute on, answers are held back (spec 8.3). */
const delayFromShare = 0.8
const longestDelayMs = 2_000

/** How long an answer is held back as a warning; `linear` grows evenly until all of the minute is used. */
export function softDelayMs(delay: Settings['soft_delay'], minute: WindowStanding | undefined): number {
  if (delay === 'off' || minute === undefined || minute.limit === 0) return 0
  const share = (minute.limit - minute.remaining) / minute.limit
  if (share < delayFromShare) return 0
  if (delay === 'fixed') return longestDelayMs
  return Math.round(((share - delayFromShare) / (1 - delayFromShare)) * longestDelayMs)
}
