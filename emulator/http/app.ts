import { endpoints as contract, type EndpointName } from '../../src/protocol/endpoints.ts'
import type { EmulatorClock } from '../clock.ts'
import { isControlPath } from '../control/http/control-app.ts'
import type { HttpHandler, HttpReply, HttpRequest } from '../exchange.ts'
import type { Service } from '../service/service.ts'
import type { SettingsStore } from '../settings.ts'
import { createSite } from '../site/site.ts'
import type { AccountRecord } from '../storage/record-store.ts'
import { type Applicant, createAdmission, type LogEntry } from './admission.ts'
import { presentedKey } from './api-key.ts'
import { findRoute, isApiPath, type Route } from './api-routes.ts'
import { clientAddress } from './client-address.ts'
import { openToAllPages, optionsReply } from './cors.ts'
import { type Call, createEndpoints } from './endpoints.ts'
import { httpDate } from './http-date.ts'
import { meantMethod } from './method-override.ts'
import { presentRate, tellsOfQuota } from './rate-headers.ts'
import { presentRefusal, type WireRefusal } from './refusals.ts'
import {
  BodyTooLargeError,
  bodyLimits,
  ConnectionResetError,
  declaredLength,
  RequestAbortedError,
  receiveBody,
} from './request-body.ts'
import { parseTarget, type RequestTarget } from './request-target.ts'

export interface AppContext {
  readonly service: Service
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  /** Where the website is, without a slash at the end; the origin the client addressed where undefined. */
  readonly siteUrl: string | undefined
  /** Answers everything below the prefix of the control API. */
  readonly control: HttpHandler
  /** Waited for before an answer is released: nobody hears of a change before it is safe. */
  readonly settled: () => Promise<void>
}

interface Visit extends Applicant {
  /** Undefined where the path is not the service's. */
  readonly route: Route | undefined
}

/** How the log shows a request whose client went away unanswered; web servers write the same number. */
const clientClosedRequest = 499

/** The whole service behind one function. */
export function createApp({ service, settings, clock, siteUrl, control, settled }: AppContext): HttpHandler {
  const endpoints = createEndpoints({ service, settings, siteUrl })
  const admission = createAdmission({ service, settings, clock })
  const site = createSite({ visits: service.visits, settings, siteUrl })
  const refuse = (refusal: WireRefusal, request: HttpRequest) =>
    presentRefusal(refusal, { settings: settings.current, request, now: clock.now() })

  const handle: HttpHandler = async (request) => {
    try {
      const reply = await respond(request)
      await settled()
      return reply
    } catch (error) {
      return complete(request, replyToError(error, request))
    }
  }

  const respond: HttpHandler = async (request) => {
    const target = parseTarget(request.url)
    if (!isApiPath(target.decodedPath ?? target.path)) return complete(request, await elsewhere(request, target))

    const route = target.decodedPath === undefined ? undefined : findRoute(target.decodedPath)
    const options = optionsReply(request, route)
    if (options !== undefined) return complete(request, options, openToAllPages)

    const entry = newEntry(request, target)
    const visit: Visit = { request, target, route, entry }
    try {
      const reply = await answer(visit).catch((error) => replyToError(error, request))
      entry.status = reply.status
      return complete(request, reply, { ...openToAllPages, ...rateHeaders(visit, reply.status) })
    } finally {
      // Once the answer is made, so that statistics leave out the request that asks for them (spec 2.3).
      service.requests.append(entry)
    }
  }

  /** What is no call of the API: the control API, a page of the site, or nothing. */
  const elsewhere = async (request: HttpRequest, target: RequestTarget): Promise<HttpReply> => {
    if (isControlPath(target.path)) return control(request)
    const page = target.decodedPath === undefined ? undefined : site(request, target.decodedPath)
    return page ?? refuse(unrouted(target), request)
  }

  /** The order of the checks is the order of these lines, through the three gates and what is behind them. */
  const answer = async (visit: Visit): Promise<HttpReply> => {
    const { request, target, route } = visit
    const limits = bodyLimits(settings.current)
    if (declaredLength(request) > limits.declared) return refuse({ kind: 'body-too-large' }, request)
    const body = receiveBody(request, limits.received)

    const endpoint = await routed(visit, body)
    if (typeof endpoint === 'object') return refuse(endpoint, request)

    const account = admitted(visit, contract[endpoint].cost)
    if ('kind' in account) return refuse(account, request)
    const delayMs = visit.verdict?.delayMs ?? 0
    if (delayMs > 0) await delay(delayMs, request.departure?.())

    const call = { request, target, body, account, slug: route?.slug ?? '' }
    const reply = await run(endpoint, call).catch((error) => replyToError(error, request))
    if (reply.status >= 400) admission.settleFailure(visit)
    return reply
  }

  /** Whether the service has what is asked for: nobody needs a key to hear that it does not. */
  const routed = async (visit: Visit, body: AsyncIterable<Uint8Array>): Promise<EndpointName | WireRefusal> => {
    const { request, target, route, entry } = visit
    if (target.decodedPath === undefined) return { kind: 'malformed-path' }
    if (route === undefined) return unrouted(target)
    entry.method = await meantMethod({ request, target, route, body })
    return route.endpoints.get(entry.method) ?? wrongMethod(entry.method, target, route)
  }

  /** Whether the caller may use the service, now and at this cost (spec 5, 8). */
  const admitted = (visit: Visit, cost: number): AccountRecord | WireRefusal => {
    for (const check of settings.current.check_order) {
      const refusal = admission.examine(check, visit, cost)
      if (refusal !== undefined) return refusal
    }
    return visit.account ?? { kind: 'invalid-key' }
  }

  const rateHeaders = ({ account, verdict }: Visit, status: number): HttpReply['headers'] => {
    if (!tellsOfQuota(settings.current, status, verdict !== undefined)) return {}
    const now = clock.now()
    const report = verdict ?? { standing: service.quota.standing(account ?? undefined, now), charged: 0 }
    return presentRate(report, { settings: settings.current, now })
  }

  const run = async (endpoint: EndpointName, call: Call): Promise<HttpReply> => {
    const outcome = await endpoints[endpoint](call)
    return 'kind' in outcome ? refuse(outcome, call.request) : outcome
  }

  const delay = (ms: number, signal: AbortSignal | undefined) =>
    clock.pass(ms, signal).catch((cause: unknown) => {
      throw new RequestAbortedError('The client went away while its answer was held back', { cause })
    })

  const replyToError = (error: unknown, request: HttpRequest): HttpReply => {
    if (error instanceof RequestAbortedError || error instanceof ConnectionResetError) throw error
    if (error instanceof BodyTooLargeError) return refuse({ kind: 'body-too-large' }, request)
    // The client is told nothing (spec 7.2), so whoever runs the emulator has to be.
    process.emitWarning(error instanceof Error ? error : String(error))
    return refuse({ kind: 'server-error' }, request)
  }

  const newEntry = (request: HttpRequest, target: RequestTarget): LogEntry => ({
    method: request.method,
    endpoint: target.path,
    status: clientClosedRequest,
    clientIp: clientAddress(request, settings.current),
    at: clock.now(),
    cost: 0,
    accountId: null,
    keyIn: presentedKey(request, target, settings.current).keyIn,
  })

  const complete = (request: HttpRequest, reply: HttpReply, more: HttpReply['headers'] = {}): HttpReply => {
    const { body } = reply
    const isWhole = typeof body === 'string' || body instanceof Uint8Array
    const length = isWhole ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}
    const date = httpDate(clock.now())
    const headers = { 'Cache-Control': 'no-cache, private', ...reply.headers, Date: date, ...more, ...length }
    return { status: reply.status, headers, body: request.method === 'HEAD' ? null : reply.body }
  }

  return handle
}

function unrouted(target: RequestTarget): WireRefusal {
  return { kind: 'route-not-found', path: target.path }
}

function wrongMethod(method: string, target: RequestTarget, route: Route): WireRefusal {
  if (!/^[A-Z]+$/.test(method)) return { kind: 'bad-method' }
  return { kind: 'method-not-allowed', method, path: target.path, allowed: route.allowed }
}
