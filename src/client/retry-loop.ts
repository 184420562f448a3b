import type { Clock } from '../clock.ts'
import { shareSignal } from '../system/signals.ts'
import type { RequestInfo } from './errors.ts'
import type { ClientEvent } from './events.ts'
import { type AttemptEnd, decideRetry, type RetryPolicy, type Tried } from './retry.ts'

/** An attempt that has ended, as far as the loop depends on it. */
export interface EndedAttempt {
  readonly end: AttemptEnd
  /** Why it failed, for the `retry` event. */
  readonly reason: string
  /** How long the other side asks to wait; infinite if that is longer than the call may wait. Default: 0. */
  readonly holdMs?: number
  /** Whether it brought the call further: then earlier failures no longer count. Default: false. */
  readonly hasProgressed?: boolean
}

/** How a call ends after its last attempt. */
export type Ending<T> =
  | { readonly type: 'value'; readonly value: T }
  /** The attempt provably had no effect, and another may succeed: the call is sent again, or fails with the cause. */
  | { readonly type: 'without-effect'; readonly reason: string; readonly cause: unknown }

/** A call that is sent in one attempt or several. */
export interface RepeatedCall<A extends EndedAttempt, T> {
  readonly request: RequestInfo
  readonly policy: RetryPolicy
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  readonly report: (event: ClientEvent) => void
  /** Called before the first attempt, and whenever another attempt will follow. */
  readonly onWaiting?: (() => void) | undefined
  /** @param number counted from 1 */
  send(number: number): Promise<A>
  /**
   * Called after an attempt that is not repeated. What it throws ends the call.
   * @param isUnknown whether the call is an upload that may have been stored
   */
  finish(attempt: A, isUnknown: boolean, tried: Tried): Promise<Ending<T>>
}

/** The one loop over the attempts of a call: it counts failures, waits between attempts and reports each retry. */
export async function repeatCall<A extends EndedAttempt, T>(call: RepeatedCall<A, T>): Promise<T> {
  const { policy } = call
  shareSignal(call.signal)
  call.onWaiting?.()
  let failures = 0
  for (let number = 1; ; number += 1) {
    const attempt = await call.send(number)
    const { end, reason, holdMs = 0 } = attempt
    if (attempt.hasProgressed) failures = 0
    const decision = decideRetry(end, failures, policy, Math.random())
    if (decision.type === 'again' && Number.isFinite(holdMs)) {
      const isFailure = decision.cause === 'failure'
      failures += Number(isFailure)
      const delayMs = Math.max(decision.delayMs, holdMs)
      // The pacer reports a wait for quota itself.
      await pause(call, { number, delayMs, reason }, isFailure || delayMs > 0)
      continue
    }
    const ending = await call.finish(attempt, decision.type === 'unknown', { attempts: number, failures })
    if (ending.type === 'value') return ending.value
    if (failures >= policy.retries) throw ending.cause
    failures += 1
    await pause(call, { number, delayMs: 0, reason: ending.reason }, true)
  }
}

async function pause<A extends EndedAttempt, T>(
  { request, clock, signal, report, onWaiting }: RepeatedCall<A, T>,
  { number, delayMs, reason }: { number: number; delayMs: number; reason: string },
  isReported: boolean,
): Promise<void> {
  if (isReported) report({ type: 'retry', request, attempt: number, delayMs, reason })
  onWaiting?.()
  if (delayMs > 0) await clock.sleep(delayMs, signal)
}
