import { type AttemptEnd, decideRetry } from '../../../src/client/retry.ts'
import { Pacer } from '../../../src/pacing/create-pacer.ts'
import type { PacingOutcome } from '../../../src/pacing/pacer.ts'
import { parseRateReport, parseRetryAfter } from '../../../src/pacing/rate-headers.ts'
import { rateHeaders, refusingWindow } from '../../../src/protocol/rate-limits.ts'
import type { SimulatedAnswer } from './service.ts'
import { openLedger, type ProcessContext, type Strategy } from './strategy.ts'

const UPLOAD_COST = 10
const neverGiveUp = { repeatable: 'unless-stored', retries: 0 } as const

/** The client's pacer, with its ledger in the state that processes share. */
export function oursWith({ jobs = 4 }: { readonly jobs?: number } = {}): Strategy {
  const start = ({ clock, state }: ProcessContext) => new Pacer({ clock, ledger: openLedger(state, clock) })
  return paced('ours', start, jobs)
}

export const ours = oursWith()

/** A process that uploads as the client does: with a permit of its pacer, and with the retries that `retry.ts` decides. */
export function paced(
  name: string,
  openPacer: (context: ProcessContext) => Pick<Pacer, 'acquire'>,
  jobs = 4,
): Strategy {
  return {
    name,
    jobs,
    start(context) {
      const pacer = openPacer(context)
      return async (send) => {
        for (;;) {
          const permit = await pacer.acquire({ cost: UPLOAD_COST, maxWaitMs: Number.POSITIVE_INFINITY })
          const answer = await send(UPLOAD_COST)
          const end = toAttemptEnd(answer)
          await permit.complete(toOutcome(answer, context.clock.now()))
          const decision = decideRetry(end, 0, neverGiveUp, context.random())
          if (decision.type !== 'again') return decision.type === 'done'
          await context.clock.sleep(decision.delayMs)
        }
      }
    },
  }
}

function toAttemptEnd({ status }: SimulatedAnswer): AttemptEnd {
  return { type: 'answered', status, bodyFinished: true, shape: 'error' }
}

export function toOutcome({ status, headers, message }: SimulatedAnswer, at: number): PacingOutcome {
  const holdMs = parseRetryAfter(headers[rateHeaders.retryAfter.toLowerCase()], headers['date'])
  const refusedBy = status === 429 ? refusingWindow(message) : undefined
  return { type: 'answered', at, status, report: parseRateReport(headers, at), refusedBy, holdMs }
}
