import type { Clock } from '../../../src/clock.ts'
import { Pacer } from '../../../src/pacing/create-pacer.ts'
import { QuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'
import { createMemoryLedger } from '../../../src/pacing/shared/store-ledger.ts'
import { createEventClock, skewed } from './event-clock.ts'
import { type ServiceModel, usualModel } from './model.ts'
import { toOutcome } from './ours.ts'
import { createRandom } from './random.ts'
import { createService, type RequestTiming, type SimulatedAnswer } from './service.ts'

export interface Connection {
  readonly model: Partial<ServiceModel>
  /** Milliseconds after the start of some day. */
  readonly startAt: number
  /** By how much the client's clock is wrong. */
  readonly clockErrorMs?: number
  /** Changes an answer on its way. */
  readonly altered?: (answer: SimulatedAnswer, clock: Clock) => SimulatedAnswer
}

interface ClientRequest extends RequestTiming {
  readonly cost: number
  readonly end?: 'answered' | 'unanswered' | 'not-sent'
}

/** A client of a simulated service, and the refusals that it met. */
export function connect({ model, startAt, clockErrorMs = 0, altered = (answer) => answer }: Connection) {
  const clock = createEventClock(Date.UTC(2026, 0, 15) + startAt)
  const ownClock = skewed(clock, clockErrorMs)
  const service = createService({ ...usualModel, ...model }, { clock, random: createRandom(startAt) })
  const quotaModel = new QuotaModel(model.limits && { limits: model.limits })
  const pacer = new Pacer({ clock: ownClock, ledger: createMemoryLedger(quotaModel, clock) })
  const refusals: string[] = []

  const run = async ({ cost, end = 'answered', ...timing }: ClientRequest) => {
    const permit = await pacer.acquire({ cost, maxWaitMs: Number.POSITIVE_INFINITY })
    if (end === 'not-sent') return permit.complete({ type: 'not-sent' })
    const answer = altered(await service.request(cost, timing), clock)
    if (answer.status === 429) refusals.push(answer.message)
    const at = ownClock.now()
    await permit.complete(end === 'answered' ? toOutcome(answer, at) : { type: 'unanswered', at })
  }
  return { clock, refusals, run }
}
