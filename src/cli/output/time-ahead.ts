import type { PlanPart } from '../../internal.ts'

/** Whether a quota determines when a part ends; else its end would only be the assumed length of an upload. */
export function isPaced({ waitsFor, pacedBy }: Pick<PlanPart, 'waitsFor' | 'pacedBy'>): boolean {
  return waitsFor !== null || pacedBy !== null
}

/** What of a batch is still to be done. */
export interface Remainder {
  /** What each transfer under way has still to move, in bytes; undefined where it is not known. */
  readonly underWay: readonly (number | undefined)[]
  /** The others, in the order in which they start. */
  readonly waiting: readonly Waiting[]
  /** Of all transfers together, lately; undefined where it is not known. */
  readonly bytesPerSecond: number | undefined
}

export interface Waiting {
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly bytes: number | undefined
  /** How long it waits at least, in milliseconds. */
  readonly waitMs: number
}

/** How long what is left of a batch takes, in milliseconds. */
export interface TimeAhead {
  /** Undefined where it is not known. */
  readonly leftMs: number | undefined
  /** Of each transfer under way. */
  readonly underWayMs: readonly number[]
  /** How long it took to find that out. */
  readonly tookMs: number
}

/** @returns undefined at once, where the time depends on a rate that is not known yet */
export type Forecast = (remainder: Remainder) => TimeAhead | undefined
