import type { WindowName } from '../protocol/rate-limits.ts'

/** A request that no wait makes room for. */
export interface NeverFits {
  readonly window: WindowName
  /** What the request costs, what the window allows us, and what of it is left to others: all in units. */
  readonly units: number
  readonly limit: number
  readonly reserve: number
}

/** @param what the request, as `an upload` */
export function neverFitsText({ window, units, limit, reserve }: NeverFits, what: string): string {
  const left = reserve > 0 ? ` beyond the reserve of ${reserve}` : ''
  return `${what} costs ${units} units, the ${window} allows ${limit}${left}`
}

/** A request costs more than a window ever allows. */
export class NeverFitsError extends Error {
  override readonly name = 'NeverFitsError'
  readonly reason: NeverFits

  constructor(reason: NeverFits) {
    super(neverFitsText(reason, 'the request'))
    this.reason = reason
  }
}
