import { isGone, type ProcessOwner, processState, thisProcess } from '../../system/process-identity.ts'

/** What can be told of the process behind a run, of which nothing was heard for `ageMs`. */
export interface RunLife {
  /** It is at work for certain: a process that can be looked for, and was found. */
  isLive(owner: ProcessOwner, ageMs: number): boolean
  /** It may be at work: it is not proven to have ended, nor out of sight for long. */
  mayBeLive(owner: ProcessOwner, ageMs: number): boolean
}

/**
 * A process of another machine or of another container cannot be looked for. It may be one that a restarted container
 * has replaced, so that what it has stored must not be sent again on the guess that it is still at work.
 */
export function createRunLife(me: ProcessOwner = thisProcess()): RunLife {
  const mayBeLive = (owner: ProcessOwner, ageMs: number) => !isGone(owner, ageMs, me, processState)
  return {
    isLive: (owner, ageMs) => isInSight(owner, me) && mayBeLive(owner, ageMs),
    mayBeLive,
  }
}

function isInSight(owner: ProcessOwner, me: ProcessOwner): boolean {
  return owner.host === me.host && owner.boot === me.boot && owner.space === me.space
}
