import { type WindowKind, windowKinds } from '../../../protocol/rate-limits.ts'
import type { SeenRequest } from '../../ledger.ts'
import type { ClockOffset } from '../clock-offset.ts'
import { kindInference } from './kind-inference.ts'
import { type DatedMinuteUse, type MinuteUse, windowFrom } from './minimum-usage.ts'

/** Services round shares of units up or down. */
const SLACK_UNITS = 1

/**
 * Rules out the kinds of window that a service cannot keep: an answer shows less use than a window of that kind must.
 * Other users of the key can only add to the use, never reduce it.
 */
export function createKindElimination(lengthMs: number) {
  let answers: (DatedMinuteUse & Pick<SeenRequest, 'resetAt'>)[] = []
  const possible = new Set<WindowKind>(windowKinds)

  return {
    /** Whether the service may keep windows of this kind. If answers contradict every kind, all are possible again. */
    mayBe: (kind: WindowKind) => possible.has(kind) || possible.size === 0,
    /** Those of the last two minutes, in the order in which they came. */
    answers: () => answers,
    see(use: MinuteUse & Pick<SeenRequest, 'resetAt'>, offset: ClockOffset | undefined): void {
      const { sentAt, used, units } = use
      const earlier = answers.filter(({ answeredAt }) => answeredAt < sentAt)
      for (const kind of possible) {
        const least = kindInference[kind].minimumUsage(use, { lengthMs, earlier, offset })
        if (used <= least + units - SLACK_UNITS) possible.delete(kind)
      }
      answers = answers.filter(({ answeredAt }) => answeredAt > sentAt - 2 * lengthMs)
      answers.push({ ...use, windowFrom: windowFrom(use, earlier) })
    },
    /** A clock was set: earlier answers cannot be compared with later ones. */
    forget(): void {
      answers = []
    },
  }
}
