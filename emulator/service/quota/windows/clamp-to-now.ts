import { windowLengthMs, windowNames } from '../../../../src/protocol/rate-limits.ts'
import type { QuotaState } from '../../../storage/record-store.ts'
import type { WindowUse } from '../../../storage/window-use.ts'
import { periodStart } from './stepped-window.ts'
import type { WindowMoment } from './window-kind.ts'

/**
 * Removes future instants from windows after the clock was set back. The charges stay, as if the last had been made
 * just now: setting the clock back frees no units and adds no waiting time.
 * @returns the given state itself if it has no future instant
 */
export function clampToNow(state: QuotaState, now: number): QuotaState {
  const moved: { -readonly [Name in keyof QuotaState]: QuotaState[Name] } = { ...state }
  let isMoved = false
  for (const name of windowNames) {
    const use = state[name]
    if (use === undefined) continue
    const present = clampUse(use, { now, lengthMs: windowLengthMs[name] })
    moved[name] = present
    isMoved ||= present !== use
  }
  return isMoved ? moved : state
}

function clampUse(use: WindowUse, moment: Pick<WindowMoment, 'now' | 'lengthMs'>): WindowUse {
  const { now } = moment
  switch (use.kind) {
    case 'fixed':
      return use.startedAt > now ? { ...use, startedAt: now } : use
    case 'aligned':
      return use.startedAt > now ? { ...use, startedAt: periodStart(moment) } : use
    case 'sliding': {
      const aheadMs = (use.charges.at(-1)?.at ?? now) - now
      if (aheadMs <= 0) return use
      return { ...use, charges: use.charges.map(({ at, units }) => ({ at: at - aheadMs, units })) }
    }
    case 'sliding_counter':
      if (use.startedAt <= now) return use
      // It is unknown how much of the previous period had expired, so all of it counts.
      return { ...use, startedAt: periodStart(moment), units: use.units + use.unitsBefore, unitsBefore: 0 }
    case 'token_bucket':
      return use.at > now ? { ...use, at: now } : use
  }
}
