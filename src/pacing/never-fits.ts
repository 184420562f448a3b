import type { WindowName } from '../protocol/rate-limits.ts'

/** Why no wait makes room for a request. */
export interface NeverFits {
  readonly window: WindowName
  /** What the request costs, in units. */
  readonly units: number
  /** What the window allows us, in units. */
  readonly limit: number
  /** What of the window is left to others, in units. */
  readonly reserve: number
}

/** @param what names the request, such as `an upload` */
export function neverFitsText({ window, units, limit, reserve }: NeverFits, what: string): string {
  const left = reserve > 0 ? ` beyond the reserve of ${reserve}` : ''
  return `${what} costs ${units} units, the ${window} allows ${limit}${left}`
}

/** A request costs more than a window allows. */
export class NeverFitsError extends Error {
  override readonly name = 'NeverFitsError'
  readonly reason: NeverFits

  constructor(reason: NeverFits) {
    super(neverFitsText(reason, 'the request'))
    this.reason = reason
  }
}
