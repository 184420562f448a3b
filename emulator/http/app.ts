import { endpoints as contract, type EndpointName } from '../../src/protocol/endpoints.ts'
import type { EmulatorClock } from '../clock.ts'
import { accessRefusal } from '../service/access.ts'
import type { Service } from '../service/service.ts'
import type { SettingsStore } from '../settings.ts'
import type { AccountRecord, RequestRecord } from '../storage/record-store.ts'
import { presentedKey } from './api-key.ts'
import { findRoute, isApiPath, type Route } from './api-routes.ts'
import { openToAllPages, optionsReply } from './cors.ts'
import { type Call, createEndpoints } from './endpoints.ts'
import type { HttpHandler, HttpReply, HttpRequest } from './exchange.ts'
import { httpDate } from './http-date.ts'
import { meantMethod } from './method-override.ts'
import { presentVerdict } from './rate-headers.ts'
import { presentRefusal, type WireRefusal } from './refusals.ts'
import {
  BodyTooLargeError,
  declaredLength,
  formAllowanceBytes,
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
}

/** What the log will say about a request; the pipeline fills it in as it learns. */
type LogEntry = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] }

interface Visit {
  readonly request: HttpRequest
  readonly target: RequestTarget
  /** Undefined where the path is not the service's. */
  readonly route: Route | undefined
  readonly entry: LogEntry
}

/** How the log shows a request whose client went away unanswered; web servers write the same number. */
const clientClosedRequest = 499

/** The whole service behind one function. */
export function createApp({ service, settings, clock, siteUrl }: AppContext): HttpHandler {
  const endpoints = createEndpoints({ service, settings, siteUrl })
  const refuse = (refusal: WireRefusal) => presentRefusal(refusal, clock.now())

  const handle: HttpHandler = async (request) => {
    const target = parseTarget(request.url)
    if (!isApiPath(target.decodedPath ?? target.path)) return complete(request, refuse(unrouted(target)))

    const route = target.decodedPath === undefined ? undefined : findRoute(target.decodedPath)
    const options = optionsReply(request, route)
    if (options !== undefined) return complete(request, options, openToAllPages)

    const entry = newEntry(request, target)
    try {
      const reply = await answer({ request, target, route, entry }).catch(replyToError)
      entry.status = reply.status
      return complete(request, reply, openToAllPages)
    } finally {
      // Once the answer is made, so that statistics leave out the request that asks for them (spec 2.3).
      service.requests.append(entry)
    }
  }

  /** The order of the checks is the order of these lines, through the three gates and what is behind them. */
  const answer = async (visit: Visit): Promise<HttpReply> => {
    const mostBytes = settings.current.max_file_size + formAllowanceBytes
    if (declaredLength(visit.request) > mostBytes) return refuse({ kind: 'body-too-large' })
    const body = receiveBody(visit.request, mostBytes)

    const endpoint = await routed(visit, body)
    if (typeof endpoint === 'object') return refuse(endpoint)

    const account = admitted(visit)
    if ('kind' in account) return refuse(account)

    const { cost } = contract[endpoint]
    const verdict = service.quota.charge(account, cost, clock.now())
    const rateHeaders = presentVerdict(verdict, cost)
    if (verdict.refusal !== undefined) return withHeaders(refuse(verdict.refusal), rateHeaders)
    visit.entry.cost = cost
    if (verdict.delayMs > 0) await delay(verdict.delayMs, visit.request.signal)

    const { request, target, route } = visit
    const call = { request, target, body, account, slug: route?.slug ?? '' }
    return withHeaders(await run(endpoint, call).catch(replyToError), rateHeaders)
  }

  /** Whether the service has what is asked for: nobody needs a key to hear that it does not. */
  const routed = async (visit: Visit, body: AsyncIterable<Uint8Array>): Promise<EndpointName | WireRefusal> => {
    const { request, target, route, entry } = visit
    if (target.decodedPath === undefined) return { kind: 'malformed-path' }
    if (route === undefined) return unrouted(target)
    entry.method = await meantMethod({ request, target, route, body })
    return route.endpoints.get(entry.method) ?? wrongMethod(entry.method, target, route)
  }

  /** Whether the caller may use the service at all (spec 5). */
  const admitted = ({ request, target, entry }: Visit): AccountRecord | WireRefusal => {
    if (!settings.current.api_enabled) return { kind: 'api-disabled' }
    const { key } = presentedKey(request, target)
    const account = key === undefined ? undefined : service.accounts.findByKey(key)
    if (account === undefined) return { kind: 'invalid-key' }
    entry.accountId = account.id
    return accessRefusal(account, request.clientIp) ?? account
  }

  const run = async (endpoint: EndpointName, call: Call): Promise<HttpReply> => {
    const outcome = await endpoints[endpoint](call)
    return 'kind' in outcome ? refuse(outcome) : outcome
  }

  const delay = (ms: number, signal: AbortSignal | undefined) =>
    clock.pass(ms, signal).catch((cause: unknown) => {
      throw new RequestAbortedError('The client went away while its answer was held back', { cause })
    })

  const replyToError = (error: unknown): HttpReply => {
    if (error instanceof RequestAbortedError) throw error
    if (error instanceof BodyTooLargeError) return refuse({ kind: 'body-too-large' })
    // The client is told nothing (spec 7.2), so whoever runs the emulator has to be.
    process.emitWarning(error instanceof Error ? error : String(error))
    return refuse({ kind: 'server-error' })
  }

  const newEntry = (request: HttpRequest, target: RequestTarget): LogEntry => ({
    method: request.method,
    endpoint: target.path,
    status: clientClosedRequest,
    clientIp: request.clientIp,
    at: clock.now(),
    cost: 0,
    accountId: null,
    keyIn: presentedKey(request, target).keyIn,
  })

  const complete = (request: HttpRequest, reply: HttpReply, more: HttpReply['headers'] = {}): HttpReply => {
    const length = reply.body === null ? {} : { 'Content-Length': String(Buffer.byteLength(reply.body)) }
    const date = httpDate(clock.now())
    const headers = { ...reply.headers, 'Cache-Control': 'no-cache, private', Date: date, ...more, ...length }
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

function withHeaders(reply: HttpReply, headers: HttpReply['headers']): HttpReply {
  return { ...reply, headers: { ...reply.headers, ...headers } }
}
