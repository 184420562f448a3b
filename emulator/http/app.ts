import { endpoints as contract, type EndpointName } from '../../src/protocol/endpoints.ts'
import type { EmulatorClock } from '../clock.ts'
import { isControlPath } from '../control/http/control-app.ts'
import type { FaultBook } from '../faults/fault-book.ts'
import { createFaultGate } from '../faults/fault-gate.ts'
import { type HttpHandler, type HttpReply, type HttpRequest, RequestAbortedError } from '../http-types.ts'
import type { Service } from '../service/service.ts'
import type { SettingsStore } from '../settings/settings.ts'
import { createSite } from '../site/site.ts'
import { type Applicant, createAdmission } from './admission.ts'
import { findRoute, isApiPath, type Route } from './api-routes.ts'
import { createEndpoints } from './endpoints.ts'
import type { EtiquetteWatch } from './etiquette-watch.ts'
import { loggedMethod, newLogEntry } from './log-entry.ts'
import { presentedKey } from './request/api-key.ts'
import { meantMethod } from './request/method-override.ts'
import {
  BodyTooLargeError,
  bodyLimits,
  ConnectionResetError,
  declaredLength,
  receiveBody,
} from './request/request-body.ts'
import { hasPlainHost } from './request/request-origin.ts'
import { parseTarget, type RequestTarget } from './request/request-target.ts'
import { openToAllPages, optionsReply } from './response/cors.ts'
import { type Finish, finishReply } from './response/finished-reply.ts'
import { webServerReply } from './response/framework-errors.ts'
import { presentRate, tellsOfQuota } from './response/rate-headers.ts'
import { presentRefusal, type WireRefusal } from './response/refusals.ts'

export interface AppContext {
  readonly service: Service
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  readonly faults: FaultBook
  readonly etiquette: EtiquetteWatch
  /** Where the website is, without a slash at the end; the origin the client addressed where undefined. */
  readonly siteUrl: string | undefined
  /** Answers everything below the prefix of the control API. */
  readonly control: HttpHandler
  /** Waited for before an answer is released: nobody hears of a change before it is safe. */
  readonly settled: (since: number) => Promise<void>
  /** Where changes stand now. */
  readonly mark: () => number
}

interface Visit extends Applicant {
  readonly target: RequestTarget
  /** Undefined where the path is not the service's. */
  readonly route: Route | undefined
}

type MoreHeaders = Partial<Pick<Finish, 'access' | 'rate'>>

/** Web servers refuse longer ones before anything looks at them. */
const longestTarget = 8_192

/** The whole service behind one function. */
export function createApp(context: AppContext): HttpHandler {
  const { service, settings, clock, faults, etiquette, siteUrl, control, settled, mark } = context
  const endpoints = createEndpoints({ service, settings, siteUrl })
  const admission = createAdmission({ service, settings, clock })
  const delay = (ms: number, request: HttpRequest) =>
    clock.pass(ms, request.departure?.()).catch((cause: unknown) => {
      throw new RequestAbortedError('The client went away while its answer was held back', { cause })
    })
  const faultGate = createFaultGate({ faults, admission, settings, clock, delay })
  const site = createSite({ visits: service.visits, settings, siteUrl })
  const refuse = (refusal: WireRefusal, request: HttpRequest) =>
    presentRefusal(refusal, { settings: settings.current, request, now: clock.now() })

  /** What is only read is answered on a full disk too: its charge and its line in the log wait for room. */
  const safe = async ({ method }: HttpRequest, since: number) => {
    await settled(since).catch((error: unknown) => {
      if (!/^(GET|HEAD|OPTIONS)$/.test(method)) throw error
    })
  }

  const handle: HttpHandler = async (request) => {
    const since = mark()
    try {
      const reply = await respond(request)
      await safe(request, since)
      return reply
    } catch (error) {
      // A connection may break after something was done, and tells of it as an answer would.
      if (error instanceof ConnectionResetError) await safe(request, since)
      return complete(request, replyToError(error, request))
    }
  }

  const respond: HttpHandler = async (request) => {
    if (request.url.length > longestTarget) return complete(request, webServerReply(414))
    const target = parseTarget(request.url)
    if (!isApiPath(target.decodedPath ?? target.path)) return complete(request, await elsewhere(request, target))

    const route = target.routePath === undefined ? undefined : findRoute(target.routePath)
    const options = optionsReply(request, route)
    if (options !== undefined) return complete(request, options, { access: openToAllPages })

    const { key, keyIn } = presentedKey(request, target, settings.current)
    const entry = newLogEntry(request, { target, keyIn, at: clock.now(), settings: settings.current })
    const visit: Visit = { request, target, route, key, entry }
    const heldBack = etiquette.arrive(key)
    try {
      const reply = await answer(visit).catch((error) => replyToError(error, request))
      entry.status = reply.status
      const whole = complete(request, reply, { access: openToAllPages, rate: rateHeaders(visit, reply.status) })
      const sent = visit.strike === undefined ? whole : faultGate.leave(visit, whole)
      etiquette.tell(key, visit, sent)
      return sent
    } finally {
      if (heldBack !== undefined) etiquette.judge(heldBack, key, entry)
      // Once the answer is made, so that statistics leave out the request that asks for them (spec 2.3).
      service.requests.append(entry)
    }
  }

  /** What is no call of the API: the control API, a page of the site, or nothing. */
  const elsewhere = async (request: HttpRequest, target: RequestTarget): Promise<HttpReply> => {
    if (isControlPath(target.path)) return control(request)
    if (!hasPlainHost(request.origin)) return refuse({ kind: 'bad-host' }, request)
    return site(request, target) ?? refuse(unrouted(target), request)
  }

  /** The order of the checks is the order of these lines, through the three gates and what is behind them. */
  const answer = async (visit: Visit): Promise<HttpReply> => {
    const { request } = visit
    if (faults.isArmed('arrival')) faultGate.arrive(visit)
    const limits = bodyLimits(settings.current)
    if (declaredLength(request) > limits.declared) return refuse({ kind: 'body-too-large' }, request)
    const body = receiveBody(request, limits.received)

    const endpoint = await routed(visit, body)
    if (typeof endpoint === 'object') return refuse(endpoint, request)

    const keptOut = await admitted(visit, body, contract[endpoint].cost)
    if (keptOut !== undefined) return 'kind' in keptOut ? refuse(keptOut, request) : keptOut

    const reply = await serve(endpoint, visit, body)
    if (reply.status >= 400) admission.settleFailure(visit)
    return reply
  }

  /** Whether the service has what is asked for: nobody needs a key to hear that it does not. */
  const routed = async (visit: Visit, body: AsyncIterable<Uint8Array>): Promise<EndpointName | WireRefusal> => {
    const { request, target, route, entry } = visit
    if (target.decodedPath === undefined) return { kind: 'malformed-path' }
    if (route === undefined) return unrouted(target)
    if (!hasPlainHost(request.origin)) return { kind: 'bad-host' }
    const method = await meantMethod({ request, target, route, body })
    entry.method = loggedMethod(method)
    return route.endpoints.get(method) ?? wrongMethod(method, target, route)
  }

  /**
   * Whether the caller may use the service, now and at this cost (spec 5, 8); faults stand right before the quota.
   * @returns why not, or the answer of a fault
   */
  const admitted = async (visit: Visit, body: AsyncIterable<Uint8Array>, cost: number) => {
    const checks = settings.current.check_order
    const quotaAt = checks.indexOf('quota')
    const keptOut = admission.examine(visit, checks.slice(0, quotaAt), cost)
    if (keptOut !== undefined) return keptOut
    const instead = faults.isArmed('gate') ? await faultGate.meet(visit, body) : undefined
    return instead ?? admission.examine(visit, checks.slice(quotaAt), cost)
  }

  const rateHeaders = ({ account, verdict }: Visit, status: number): HttpReply['headers'] => {
    if (!tellsOfQuota(settings.current, status, verdict !== undefined)) return {}
    const now = clock.now()
    const report = verdict ?? { standing: service.quota.standing(account ?? undefined, now), charged: 0 }
    return presentRate(report, { settings: settings.current, now })
  }

  const serve = async (endpoint: EndpointName, visit: Visit, body: AsyncIterable<Uint8Array>): Promise<HttpReply> => {
    const { request, target, route, entry, account, verdict } = visit
    if (!account || route === undefined) return refuse({ kind: 'invalid-key' }, request)
    try {
      if (verdict !== undefined && verdict.delayMs > 0) await delay(verdict.delayMs, request)
      const outcome = await endpoints[endpoint]({ request, target, body, account, entry, slug: route.slug })
      if (!('kind' in outcome)) return outcome
      if (outcome.kind !== 'other-method') return refuse(outcome, request)
      admission.undo(visit)
      entry.method = loggedMethod(outcome.method)
      return refuse(wrongMethod(outcome.method, target, route), request)
    } catch (error) {
      return replyToError(error, request)
    }
  }

  const replyToError = (error: unknown, request: HttpRequest): HttpReply => {
    if (error instanceof RequestAbortedError || error instanceof ConnectionResetError) throw error
    if (error instanceof BodyTooLargeError) return refuse({ kind: 'body-too-large' }, request)
    // The client is told nothing (spec 7.2), so whoever runs the emulator has to be.
    process.emitWarning(error instanceof Error ? error : String(error))
    return refuse({ kind: 'server-error' }, request)
  }

  const complete = (request: HttpRequest, reply: HttpReply, { access, rate }: MoreHeaders = {}): HttpReply =>
    finishReply(reply, { isHead: request.method === 'HEAD', now: clock.now(), access, rate })

  return handle
}

function unrouted(target: RequestTarget): WireRefusal {
  return { kind: 'route-not-found', path: target.path }
}

function wrongMethod(method: string, target: RequestTarget, route: Route): WireRefusal {
  if (!/^[A-Z]+$/.test(method)) return { kind: 'bad-method' }
  return { kind: 'method-not-allowed', method, path: target.path, allowed: route.allowed }
}
