import { windowLengthMs, windowNames } from '../../../../src/protocol/rate-limits.ts'
import type { QuotaState } from '../../../storage/record-store.ts'
import type { WindowUse } from '../../../storage/window-use.ts'
import { periodStart } from './aligned-window.ts'
import type { Moment } from './window-kind.ts'

/**
 * Windows with nothing in them later than now. A clock that was set back leaves charges behind that it has yet to
 * reach: they stay charged, as if the last of them had been made just now, so that the step brings no units back and
 * nobody waits for the length of the step as well.
 * @returns the very state that was given where nothing in it is later
 */
export function setBack(state: QuotaState, now: number): QuotaState {
  const moved: { -readonly [Name in keyof QuotaState]: QuotaState[Name] } = { ...state }
  let isMoved = false
  for (const name of windowNames) {
    const use = state[name]
    if (use === undefined) continue
    const present = upToNow(use, { now, lengthMs: windowLengthMs[name] })
    moved[name] = present
    isMoved ||= present !== use
  }
  return isMoved ? moved : state
}

function upToNow(use: WindowUse, moment: Pick<Moment, 'now' | 'lengthMs'>): WindowUse {
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
      // How much of the earlier period had faded is not known: all of it counts.
      return { ...use, startedAt: periodStart(moment), units: use.units + use.unitsBefore, unitsBefore: 0 }
    case 'token_bucket':
      return use.at > now ? { ...use, at: now } : use
  }
}
