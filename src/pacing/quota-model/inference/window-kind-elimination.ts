import type { ClockOffset } from '../service-clock.ts'
import { type WindowKind, windowKinds } from '../window-kinds.ts'
import { type DatedSighting, leastUse, type MinuteSighting, windowFrom } from './minimum-usage.ts'

/** Services round shares of units one way or the other. */
const SLACK_UNITS = 1

/**
 * Looks for proofs of what kind of window a service does not keep: an answer that tells of less use than a window of
 * that kind would have shown at the least. Use by others could only make it more.
 */
export function createKindProof(lengthMs: number) {
  let sightings: DatedSighting[] = []
  const possible = new Set<WindowKind>(windowKinds)

  return {
    /** Whether the service may keep windows of a kind. Where no kind explains it, nothing is known. */
    mayBe: (kind: WindowKind) => possible.has(kind) || possible.size === 0,
    see(sighting: MinuteSighting, offset: ClockOffset | undefined): void {
      const { sentAt, used, units } = sighting
      const earlier = sightings.filter(({ answeredAt }) => answeredAt < sentAt)
      for (const kind of possible) {
        const least = leastUse[kind](sighting, { lengthMs, earlier, offset })
        if (used <= least + units - SLACK_UNITS) possible.delete(kind)
      }
      sightings = sightings.filter(({ answeredAt }) => answeredAt > sentAt - 2 * lengthMs)
      sightings.push({ ...sighting, windowFrom: windowFrom(sighting, earlier) })
    },
    /** This machine's clock has been set back: when what was seen happened, nobody can say any more. */
    forget(): void {
      sightings = []
    },
  }
}
