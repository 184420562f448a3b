import type { WindowName } from '../../src/protocol/rate-limits.ts'
import type { EmulatorClock } from '../clock/clock.ts'
import type { Service } from '../service/service.ts'

/** What happens next on the service's clock; instants are ISO 8601. */
export type NextEvent =
  /** A window of an account has no charged units any more. */
  | { readonly kind: 'window'; readonly at: string; readonly account_id: number; readonly window: WindowName }
  | { readonly kind: 'thumbnail'; readonly at: string; readonly slug: string }
  /** A client in this process sleeps until then. */
  | { readonly kind: 'sleep'; readonly at: string }

/** The parts of the service that something becomes due in. */
export type ClockedService = Pick<Service, 'accounts' | 'quota' | 'thumbnails'>

/** The earliest event after the present; of several at one instant, a window's. */
export function nextEvent(clock: EmulatorClock, { accounts, quota, thumbnails }: ClockedService): NextEvent | null {
  const now = clock.now()
  let next: { readonly at: number; readonly event: NextEvent } | undefined
  const consider = (at: number, describe: (at: string) => NextEvent) => {
    if (at <= now || (next !== undefined && next.at <= at)) return
    next = { at, event: describe(new Date(at).toISOString()) }
  }
  for (const account of accounts.all()) {
    const reset = quota.nextReset(account, now)
    if (reset === undefined) continue
    const { window } = reset
    consider(reset.at, (at) => ({ kind: 'window', at, account_id: account.id, window }))
  }
  const thumbnail = thumbnails.nextDue()
  if (thumbnail !== undefined) consider(thumbnail.at, (at) => ({ kind: 'thumbnail', at, slug: thumbnail.slug }))
  const awaited = clock.awaited?.()
  if (awaited !== undefined) consider(awaited, (at) => ({ kind: 'sleep', at }))
  return next?.event ?? null
}
