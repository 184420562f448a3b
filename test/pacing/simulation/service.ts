import type { Clock } from '../../../src/clock.ts'
import { rateHeaders, refusalMessages, type WindowName, windowNames } from '../../../src/protocol/rate-limits.ts'
import { httpDate, resetHeader, retryAfterHeader } from './header-forms.ts'
import type { ServiceModel } from './model.ts'
import { between, type Random } from './random.ts'
import { createServiceQuota, type ServiceQuota } from './service-quota.ts'

export interface SimulatedAnswer {
  readonly status: 201 | 200 | 429
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The refusal's text; empty for a success. */
  readonly message: string
  /** Units charged; the headers of a refusal do not show them. */
  readonly charged: number
}

/** A service that charges each request at some instant between its start and its answer. */
export interface SimulatedService {
  /** @param timing default: drawn within the model's ranges */
  request(cost: number, timing?: RequestTiming): Promise<SimulatedAnswer>
}

export interface RequestTiming {
  readonly lengthMs: number
  /** The part of it after which the charge happens, in [0, 1]. */
  readonly chargedAfter: number
}

export interface ServiceContext {
  readonly clock: Clock
  readonly random: Random
}

const UPLOAD_COST = 10
const SOFT_DELAY_FROM = 0.8
const LONGEST_SOFT_DELAY_MS = 2_000

export function createService(model: ServiceModel, { clock, random }: ServiceContext): SimulatedService {
  const quota = createServiceQuota(model)
  return {
    async request(cost, timing = drawTiming(model, cost, random)) {
      const { lengthMs, chargedAfter } = timing
      const untilChargeMs = chargedAfter * lengthMs
      await clock.sleep(untilChargeMs)
      const answer = rule(model, quota, cost, Math.floor(clock.now()))
      const isWarned = model.softDelay && quota.used('minute', Math.floor(clock.now())) >= warnedFrom(model)
      await clock.sleep(lengthMs - untilChargeMs + (isWarned ? random() * LONGEST_SOFT_DELAY_MS : 0))
      // Servers write the date when they answer, not when they charge.
      return { ...answer, headers: { date: httpDate(clock.now()), ...answer.headers } }
    },
  }
}

function drawTiming({ uploadMs, otherMs }: ServiceModel, cost: number, random: Random): RequestTiming {
  return { lengthMs: between(random, cost === UPLOAD_COST ? uploadMs : otherMs), chargedAfter: random() }
}

function warnedFrom({ limits }: ServiceModel): number {
  return SOFT_DELAY_FROM * limits.minute
}

/** Admits or refuses a request and charges it, in one instant. */
function rule(model: ServiceModel, quota: ServiceQuota, cost: number, now: number): SimulatedAnswer {
  const refusing = quota.refusing(cost, now)
  const charged = refusing === undefined ? windowNames : chargedByRefusal(model, refusing)
  quota.charge(charged, cost, now)
  if (refusing !== undefined) {
    const retryAt = quota.fitsAt(refusing, cost, now)
    return refusal(model, refusing, { now, retryAt, units: charged.length > 0 ? cost : 0 })
  }
  const status = cost === UPLOAD_COST ? 201 : 200
  return { status, headers: successHeaders(model, quota, cost, now), message: '', charged: cost }
}

function chargedByRefusal({ refusalCharge }: ServiceModel, refusing: WindowName): readonly WindowName[] {
  if (refusalCharge === 'none') return []
  return refusalCharge === 'full' ? windowNames : windowNames.slice(0, windowNames.indexOf(refusing))
}

interface RefusalFacts {
  readonly now: number
  readonly retryAt: number
  readonly units: number
}

function refusal(model: ServiceModel, window: WindowName, { now, retryAt, units }: RefusalFacts): SimulatedAnswer {
  const retryAfter = retryAfterHeader(model.retryAfter, now, retryAt)
  const named = retryAfter === undefined ? {} : { [rateHeaders.retryAfter.toLowerCase()]: retryAfter }
  return {
    status: 429,
    headers: named,
    message: refusalMessages[window],
    charged: units,
  }
}

function successHeaders(model: ServiceModel, quota: ServiceQuota, cost: number, now: number): Record<string, string> {
  const left = (name: WindowName) => Math.max(model.limits[name] - quota.used(name, now), 0)
  const tightest = () => windowNames.reduce((least, name) => (left(name) < left(least) ? name : least))
  const told = model.toldWindow === 'minute' ? 'minute' : tightest()
  const values = {
    limit: () => String(model.limits[told]),
    remaining: () => String(left(told)),
    reset: () => resetHeader(model.reset, now, quota.emptyAt(told, now)),
    cost: () => String(cost),
  }
  return Object.fromEntries(model.headers.map((name) => [rateHeaders[name].toLowerCase(), values[name]()]))
}
