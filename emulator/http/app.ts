import { endpoints as contract, type EndpointName } from '../../src/protocol/endpoints.ts'
import { isControlPath } from '../control/http/control-app.ts'
import { tellError } from '../emulator-error.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import { createFaultGate } from '../faults/fault-gate.ts'
import { type HttpHandler, type HttpReply, type HttpRequest, RequestAbortedError } from '../http-types.ts'
import { refused, succeeded } from '../service/refusal.ts'
import type { Settings } from '../settings/settings.ts'
import { createSite } from '../site/site.ts'
import { clientClosedRequest, type RefusalNote } from '../storage/record-types.ts'
import { andFinally, andThen, type MaybePromise, orElse } from '../values/maybe-promise.ts'
import { createAdmission } from './admission.ts'
import { findRoute, isApiPath, isMethodRefusal, methodOfPost, methodRefusal } from './api-routes.ts'
import { createDelay } from './delay.ts'
import { createEndpoints, type EndpointResult } from './endpoints.ts'
import type { EtiquetteWatch } from './etiquette-watch.ts'
import { hasPlainHost, parseTarget, type RequestTarget } from './request/addresses.ts'
import { BodyTooLargeError, ConnectionResetError } from './request/request-body.ts'
import {
  exchangeOf,
  isAdmitted,
  loggedMethod,
  loggedRefusal,
  newRequestContext,
  type RequestContext,
  withKeptBody,
} from './request-context.ts'
import { optionsReply, pageAccess } from './response/cors.ts'
import { webServerReply } from './response/framework-errors.ts'
import { hasRateHeaders, presentRate } from './response/rate-headers.ts'
import { presentRefusal, type WireRefusal } from './response/refusals.ts'
import { type Finish, finishReply } from './response/reply.ts'

export interface AppParts extends Omit<EmulatorParts, 'records' | 'blobs' | 'inventions' | 'makeThumbnail'> {
  readonly etiquette: EtiquetteWatch
  /** Handles everything below the control API's prefix. */
  readonly control: HttpHandler
  /** The store's current position, for `flushed`. */
  readonly mark: () => number
  /** Aborts when the emulator begins to close. */
  readonly closing: AbortSignal
}

/** Undefined if the endpoint may serve the request. */
type Admission = EndpointResult | undefined

type MoreHeaders = Partial<Pick<Finish, 'access' | 'rate'>>

/** Web servers refuse longer targets before parsing them. */
const maxTargetLength = 8_192

/** The whole service as one function. */
export function createApp(parts: AppParts): HttpHandler {
  const {
    service,
    settings,
    clock,
    faults,
    etiquette,
    exchanges,
    siteUrl,
    isDurable,
    control,
    flushed,
    mark,
    closing,
  } = parts
  const endpoints = createEndpoints({ service, settings, siteUrl })
  const admission = createAdmission({ service, settings, clock })
  const delay = createDelay(clock, closing)
  const faultGate = createFaultGate({ faults, admission, settings, clock, delay })
  const site = createSite({ service, settings, clock, siteUrl, isDurable })
  const refuse = (refusal: WireRefusal, request: HttpRequest) =>
    presentRefusal(refusal, { settings: settings.current, request, now: clock.now() })
  const complete = (request: HttpRequest, reply: HttpReply, { access, rate }: MoreHeaders = {}): HttpReply =>
    finishReply(reply, { isHead: request.method === 'HEAD', now: clock.now(), access, rate })

  /** A request that only reads is answered even on a full disk; its charge and log record are lost then. */
  const waitUntilSafe = ({ method }: HttpRequest, since: number) =>
    orElse(
      () => flushed(since),
      (error) => {
        if (!/^(GET|HEAD|OPTIONS)$/.test(method)) throw error
      },
    )

  const handle: HttpHandler = (request) => {
    const since = mark()
    const safely = (reply: HttpReply) => andThen(waitUntilSafe(request, since), () => reply)
    const fail = async (error: unknown) => {
      // A fault may reset the connection after the upload was stored: the change must be durable first.
      if (error instanceof ConnectionResetError) await waitUntilSafe(request, since)
      const access = isForApi(parseTarget(request.url)) ? pageAccess(settings.current) : undefined
      return complete(request, refuse(refusalOf(error), request), { access })
    }
    return orElse(() => (isDurable ? andThen(respond(request), safely) : respond(request)), fail)
  }

  const respond = (request: HttpRequest): MaybePromise<HttpReply> => {
    if (request.url.length > maxTargetLength) return complete(request, webServerReply(414))
    const target = parseTarget(request.url)
    return isForApi(target) ? respondInApi(request, target) : respondOutsideApi(request, target)
  }

  const respondInApi = (request: HttpRequest, target: RequestTarget): MaybePromise<HttpReply> => {
    const route = target.routePath === undefined ? undefined : findRoute(target.routePath)
    const options = optionsReply(request, route, settings.current.cors)
    if (options !== undefined) return complete(request, options, { access: pageAccess(settings.current) })

    const context = newRequestContext({ request, target, route }, settings.current, clock.now(), exchanges.keep)
    const { key, entry } = context
    const advice = etiquette.outstandingAdvice(key)
    const begun = exchanges.now()
    let sent: HttpReply | undefined
    const send = (reply: HttpReply) => {
      // Asked only of what was stored, because a signal for every request would slow it down.
      const isMissed = entry.stored === true && request.clientGone?.().aborted === true
      entry.status = isMissed ? clientClosedRequest : reply.status
      const access = pageAccess(settings.current)
      const whole = complete(request, reply, { access, rate: rateHeaders(context, reply.status) })
      sent = context.fault === undefined ? whole : faultGate.onAnswer(context.fault, whole, request)
      etiquette.recordAdvice(context, sent)
      sent = withKeptBody(sent, context, exchanges)
      return sent
    }
    const end = () => {
      if (advice !== undefined) etiquette.recordViolation(advice, context)
      // Logged after the reply is made: statistics exclude the request that asks for them (spec 2.3).
      const { number } = service.requests.append(entry)
      exchanges.add({ ...exchangeOf(context, sent), number, durationMs: exchanges.now() - begun })
    }
    return andFinally(() => andThen(answer(context), send), end)
  }

  /** Everything outside the API: the control API, the website, or a 404. */
  const respondOutsideApi = async (request: HttpRequest, target: RequestTarget): Promise<HttpReply> => {
    const whole = (reply: HttpReply) => complete(request, reply)
    if (isControlPath(target.path)) return whole(await control(request))
    if (!hasPlainHost(request.origin)) return whole(refuse({ kind: 'bad-host' }, request))
    const visit = site(request, target)
    if (visit === undefined) return whole(refuse(routeNotFound(target), request))
    return faults.isArmed('site') ? faultGate.onVisit(visit, request, whole) : whole(await visit.answer())
  }

  /** The one way from a refusal or an error to a reply. */
  const answer = (context: RequestContext): MaybePromise<HttpReply> => {
    const outcome = orElse<EndpointResult>(
      () => decide(context),
      (error) => refused(refusalOf(error)),
    )
    return andThen(outcome, (decided) => {
      if (!decided.ok) context.entry.refusal = noteOf(decided.refusal, context)
      const reply = decided.ok ? decided.value : refuse(decided.refusal, context.request)
      if (reply.status >= 400) admission.refundFailure(context)
      return reply
    })
  }

  /** These lines are in the order of the checks: fault at arrival, size, route, admission, endpoint. */
  const decide = (context: RequestContext): MaybePromise<EndpointResult> => {
    if (faults.isArmed('arrival')) faultGate.onArrival(context)
    if (context.isTooLarge) return refused({ kind: 'body-too-large' })
    // A 404 or 405 needs no key.
    const { request, target, route, entry, body } = context
    if (target.decodedPath === undefined) return refused({ kind: 'malformed-path' })
    if (route === undefined) return refused(routeNotFound(target))
    if (!hasPlainHost(request.origin)) return refused({ kind: 'bad-host' })
    const named = request.method === 'POST' ? methodOfPost({ request, target, route, body }) : request.method
    return andThen(named, (method) => {
      entry.method = loggedMethod(method)
      const endpoint = route.endpoints.get(method)
      if (endpoint === undefined) return refused(methodRefusal(method, { target, route }))
      return andThen(admit(context, contract[endpoint].cost), (early) => early ?? serve(endpoint, context))
    })
  }

  /**
   * Checks whether the caller may use the service now, at this cost (spec 5, 8). Faults act right before the quota
   * check.
   */
  const admit = (context: RequestContext, cost: number): MaybePromise<Admission> => {
    const checks = settings.current.check_order
    const examine = (some: Settings['check_order']): Admission => {
      const refusal = admission.examine(context, some, cost)
      return refusal === undefined ? undefined : refused(refusal)
    }
    if (!faults.isArmed('gate')) return examine(checks)
    const quotaAt = checks.indexOf('quota')
    const early = examine(checks.slice(0, quotaAt))
    if (early !== undefined) return early
    const struck = faultGate.beforeQuota(context)
    return struck.then((faulted) => (faulted ? succeeded(faulted) : examine(checks.slice(quotaAt))))
  }

  const serve = (endpoint: EndpointName, context: RequestContext): MaybePromise<EndpointResult> => {
    if (!isAdmitted(context)) return refused({ kind: 'invalid-key' })
    context.isServed = true
    const delayMs = context.verdict?.delayMs ?? 0
    const serveNow = () => endpoints[endpoint](context)
    const served = delayMs > 0 ? delay(delayMs, context.request).catch(unlessClosing).then(serveNow) : serveNow()
    return andThen(served, (outcome) => {
      if (!outcome.ok && isMethodRefusal(outcome.refusal)) admission.undo(context)
      return outcome
    })
  }

  const rateHeaders = ({ account, verdict }: RequestContext, status: number): HttpReply['headers'] => {
    if (!hasRateHeaders(settings.current, status, verdict !== undefined)) return {}
    const now = clock.now()
    const report = verdict ?? { reportedWindow: service.quota.reportedWindow(account ?? undefined, now), charged: 0 }
    return presentRate(report, { settings: settings.current, now })
  }

  return handle
}

function noteOf(refusal: WireRefusal, { verdict }: RequestContext): RefusalNote {
  switch (refusal.kind) {
    case 'suspended':
      return loggedRefusal(refusal.kind, refusal.reason)
    case 'invalid-file':
      return loggedRefusal(refusal.kind, refusal.problems.map(({ kind }) => kind).join(', '))
    case 'invalid-page':
      return loggedRefusal(refusal.kind, refusal.message)
    case 'quota-exceeded':
      return { kind: refusal.kind, ...verdict?.shortage }
    default:
      return { kind: refusal.kind }
  }
}

/** The service's own delay, cut short because the emulator closes. @throws any other error */
function unlessClosing(error: unknown): void {
  if (!(error instanceof ConnectionResetError)) throw error
}

/** @throws the error if the client gets no reply */
function refusalOf(error: unknown): WireRefusal {
  if (error instanceof RequestAbortedError || error instanceof ConnectionResetError) throw error
  if (error instanceof BodyTooLargeError) return { kind: 'body-too-large' }
  // The client learns no details (spec 7.2), so the emulator's output shows them.
  tellError(error)
  return { kind: 'server-error' }
}

function isForApi({ decodedPath, path }: RequestTarget): boolean {
  return isApiPath(decodedPath ?? path)
}

function routeNotFound(target: RequestTarget): WireRefusal {
  return { kind: 'route-not-found', path: target.path }
}
