import { setImmediate as nextTurn } from 'node:timers/promises'
import { type EndpointName, endpoints, uploadField } from '../../src/protocol/endpoints.ts'
import { anySignal, over, shareSignal } from '../../src/system/signals.ts'
import { afterRealTime, createSystemClock, type EmulatorClock } from '../clock/clock.ts'
import { isControlPath } from '../control/http/control-app.ts'
import { EmulatorError, tellError } from '../emulator-error.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import { FaultGate } from '../faults/fault-gate.ts'
import {
  BodyTooLargeError,
  ConnectionResetError,
  closeGraceMs,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  noBody,
  RequestAbortedError,
} from '../http.ts'
import { isForm, overrideField, readForm, upperCased } from '../php/form.ts'
import type { Refusal } from '../service/refusal.ts'
import { measuringFiles } from '../service/uploads.ts'
import { createSite } from '../site/site.ts'
import {
  type AccountRecord,
  clientClosedRequest,
  type RefusalNote,
  type RequestRecord,
  type UploadRecord,
} from '../storage/record-types.ts'
import { Admission, type AdmissionParts, type EtiquetteWatch, violationOf } from './admission.ts'
import { lastPageOf, paginate, parsePage, queryWithoutPage } from './pages.ts'
import {
  finished,
  hasRateHeaders,
  jsonResponse,
  jsonText,
  optionsResponse,
  pageAccess,
  presentRefusal,
  presentStats,
  presentUpload,
  quotaHeaders,
  type WireRefusal,
  webServerResponse,
} from './response.ts'
import {
  Call,
  hasPlainHost,
  isForApi,
  loggedMethod,
  loggedRefusal,
  parseTarget,
  type RequestTarget,
  type Route,
  withoutEndSlashes,
} from './target.ts'

export interface AppParts extends Omit<EmulatorParts, 'records' | 'blobs' | 'inventions' | 'makeThumbnail'> {
  readonly etiquette: EtiquetteWatch
  /** Handles everything below the control API's prefix. */
  readonly control: HttpHandler
  /** Called with every request that is logged while the clock does not follow the system's. */
  readonly seeWhileStanding: (request: RequestRecord) => void
  readonly records: AdmissionParts['records']
}

/** What became of a call: what an endpoint answered, or why none did. */
type Outcome = HttpResponse | WireRefusal

/** A call that an endpoint may serve. */
type AdmittedCall = Call & { readonly account: AccountRecord; readonly route: Route }

/** Web servers refuse longer targets before parsing them. */
const maxTargetLength = 8_192

/** The whole service: from a request to its response. */
export class App {
  readonly #parts: AppParts
  readonly #admission: Admission
  readonly #gate: FaultGate
  readonly #site: ReturnType<typeof createSite>
  readonly #closing = new AbortController()
  readonly #cutting = new AbortController()
  #open = 0
  #whenNoneIsOpen = () => {}

  constructor(parts: AppParts) {
    this.#parts = parts
    this.#admission = new Admission(parts)
    const delay = (ms: number, request: HttpRequest) => this.#delay(ms, request)
    this.#gate = new FaultGate({ ...parts, admission: this.#admission, delay })
    this.#site = createSite(parts)
    // Every waiting request listens.
    shareSignal(this.cut)
  }

  /** Aborts requests that have no connection to cut: pending bodies and delayed responses. */
  get cut(): AbortSignal {
    return this.#cutting.signal
  }

  /** @throws EmulatorError after `close()` */
  readonly handle: HttpHandler = async (arrived) => {
    if (this.#closing.signal.aborted) throw new EmulatorError('emulator-closed', 'The emulator is closed')
    const handling = handlingOn(this.#parts.clock)
    const { body } = arrived
    this.#open += 1
    try {
      return await this.#respondSafely(body === noBody ? arrived : { ...arrived, body: arriving(body, handling) })
    } finally {
      handling.pause()
      this.#open -= 1
      if (this.#open === 0) this.#whenNoneIsOpen()
    }
  }

  /**
   * Accepts no more requests, ends the delays of those in progress and waits for them; those that still are after 5 s are
   * cut.
   */
  async close(): Promise<void> {
    this.#closing.abort()
    const done = new AbortController()
    const allDone = new Promise<void>((resolve) => {
      this.#whenNoneIsOpen = resolve
      if (this.#open === 0) resolve()
    }).then(() => done.abort(over))
    // The caller waits in real time, however the emulator's clock goes.
    await createSystemClock()
      .sleep(closeGraceMs, done.signal)
      .catch(() => {})
    this.#cutting.abort(new ConnectionResetError('The connection was broken because the emulator closed'))
    await allDone
  }

  async #respondSafely(request: HttpRequest): Promise<HttpResponse> {
    try {
      const response = await this.#respond(request)
      await this.#untilKept(request)
      return response
    } catch (error) {
      // A fault may reset the connection after the upload was stored: the change must be kept first.
      if (error instanceof ConnectionResetError) await this.#untilKept(request)
      const response = this.#refuse(refusalOf(error), request)
      return this.#finish(response, request, isForApi(parseTarget(request.url)))
    }
  }

  /** A request that only reads is answered even on a full disk; its charge and log record are lost then. */
  async #untilKept({ method }: HttpRequest): Promise<void> {
    try {
      await this.#parts.flushed()
    } catch (error) {
      if (!/^(GET|HEAD|OPTIONS)$/.test(method)) throw error
    }
  }

  #refuse(refusal: WireRefusal, request: HttpRequest): HttpResponse {
    const { settings, clock } = this.#parts
    return presentRefusal(refusal, { settings: settings.current, request, now: clock.now() })
  }

  #finish(response: HttpResponse, request: HttpRequest, isForApi: boolean, rate?: HttpResponse['headers']) {
    const { settings, clock } = this.#parts
    return finished(response, request, clock.now(), isForApi ? pageAccess[settings.current.cors] : undefined, rate)
  }

  async #respond(request: HttpRequest): Promise<HttpResponse> {
    if (request.url.length > maxTargetLength) return this.#finish(webServerResponse(414), request, false)
    const target = parseTarget(request.url)
    return isForApi(target) ? this.#respondInApi(request, target) : this.#respondOutsideApi(request, target)
  }

  /** Everything outside the API: the control API, the website, or a 404. */
  async #respondOutsideApi(request: HttpRequest, target: RequestTarget): Promise<HttpResponse> {
    // Timers fire while a program asks in a loop: calls of the API take a turn each, because they are logged.
    await nextTurn()
    const { control, faults } = this.#parts
    const whole = (response: HttpResponse) => this.#finish(response, request, false)
    if (isControlPath(target.path)) return whole(await control(request))
    if (!hasPlainHost(request)) return whole(this.#refuse({ kind: 'bad-host' }, request))
    const visit = this.#site(request, target)
    if (visit === undefined) return whole(this.#refuse({ kind: 'route-not-found', path: target.path }, request))
    return faults.armed.site ? this.#gate.onVisit(visit, request, whole) : whole(await visit.answer())
  }

  async #respondInApi(request: HttpRequest, target: RequestTarget): Promise<HttpResponse> {
    const { service, settings, clock, etiquette, exchanges } = this.#parts
    const call = new Call(request, target, settings.current, clock.now())
    if (request.method === 'OPTIONS') {
      const allowed = call.route && [...call.route.endpoints.keys()]
      const options = optionsResponse(request, allowed, settings.current.cors)
      if (options !== undefined) return this.#finish(options, request, true)
    }
    const advice = etiquette.outstandingAdvice(call.key)
    const begun = exchanges.now()
    let sent: HttpResponse | undefined
    try {
      sent = this.#complete(call, await this.#answer(call))
      return sent
    } finally {
      const breach = advice && violationOf(advice, call)
      if (breach !== undefined) call.entry.breach = breach
      // Logged after the response is made: statistics exclude the request that asks for them (spec 2.3).
      const record = service.requests.append(call.entry)
      if (clock.mode !== 'system') this.#parts.seeWhileStanding(record)
      const { key, received, verdict, fault } = call
      const { origin, url, httpVersion } = request
      // Without the body, which is kept elsewhere.
      const reply = sent && { status: sent.status, headers: sent.headers }
      const durationMs = exchanges.now() - begun
      const head = { number: record.number, key, origin, url, httpVersion }
      exchanges.add({ ...head, received, reply, sent: call.sent, verdict, fault, durationMs })
    }
  }

  /** The response as it is sent, after what it says was noted. */
  #complete(call: Call, response: HttpResponse): HttpResponse {
    const { request, entry, fault } = call
    // Asked only of what was stored, because a signal for every request would slow it down.
    const isMissed = entry.stored === true && request.clientGone?.().aborted === true
    entry.status = isMissed ? clientClosedRequest : response.status
    const whole = this.#finish(response, request, true, this.#rateHeaders(call, response.status))
    call.keep(whole)
    const sent = fault === undefined ? whole : this.#gate.onAnswer(fault, whole, request)
    this.#parts.etiquette.recordAdvice(call, sent)
    return sent
  }

  #rateHeaders({ account, verdict }: Call, status: number): HttpResponse['headers'] | undefined {
    const { service, settings, clock } = this.#parts
    if (!hasRateHeaders(settings.current, status, verdict !== undefined)) return undefined
    const now = clock.now()
    const report = verdict ?? { reportedWindow: service.quota.reportedWindow(account ?? undefined, now), charged: 0 }
    return quotaHeaders(report, settings.current, now)
  }

  /** The one way from a refusal or an error to a response. */
  async #answer(call: Call): Promise<HttpResponse> {
    const outcome = await this.#decide(call).catch(refusalOf)
    if ('kind' in outcome) call.entry.refusal = noteOf(outcome, call)
    const response = 'kind' in outcome ? this.#refuse(outcome, call.request) : outcome
    if (response.status >= 400) this.#admission.refundFailure(call)
    return response
  }

  /** These lines are in the order of the checks: fault at arrival, size, route, method, admission, endpoint. */
  async #decide(call: Call): Promise<Outcome> {
    const { faults, settings } = this.#parts
    const { request, target, route, entry } = call
    if (faults.armed.arrival) this.#gate.onArrival(call)
    if (call.isTooLarge) return { kind: 'body-too-large' }
    // A 404 or 405 needs no key.
    if (target.decodedPath === undefined) return { kind: 'malformed-path' }
    if (route === undefined) return { kind: 'route-not-found', path: target.path }
    if (!hasPlainHost(request)) return { kind: 'bad-host' }
    const method = request.method === 'POST' ? await methodOfPost(call) : request.method
    entry.method = loggedMethod(method)
    const endpoint = route.endpoints.get(method)
    if (endpoint === undefined) return methodRefusal(method, target, route)
    const cost = endpoints[endpoint].cost
    const checks = settings.current.check_order
    // Faults act right before the quota check (spec 5, 8).
    const quotaAt = faults.armed.gate ? checks.indexOf('quota') : 0
    const early = this.#admission.examine(call, checks.slice(0, quotaAt), cost)
    if (early !== undefined) return early
    const faulted = faults.armed.gate ? await this.#gate.beforeQuota(call) : undefined
    if (faulted !== undefined) return faulted
    const refusal = this.#admission.examine(call, checks.slice(quotaAt), cost)
    return refusal ?? (await this.#serve(endpoint, call))
  }

  async #serve(endpoint: EndpointName, call: Call): Promise<Outcome> {
    if (!isAdmitted(call)) return { kind: 'invalid-key' }
    call.isServed = true
    const delayMs = call.verdict?.delayMs ?? 0
    if (delayMs > 0) await this.#delay(delayMs, call.request).catch(unlessClosing)
    const outcome = await this.#endpoints[endpoint](call)
    const isNoCall = 'kind' in outcome && (outcome.kind === 'bad-method' || outcome.kind === 'method-not-allowed')
    if (isNoCall) this.#admission.undo(call)
    return outcome
  }

  /**
   * Holds an answer back on the service's clock.
   * @throws RequestAbortedError if the client disconnects first, ConnectionResetError if the emulator closes first
   */
  async #delay(ms: number, request: HttpRequest): Promise<void> {
    const { clock } = this.#parts
    const closing = this.#closing.signal
    const gone = request.clientGone?.()
    const end = new AbortController()
    try {
      await clock.pass(ms, anySignal(gone === undefined ? [closing] : [gone, closing], end.signal))
    } catch (cause) {
      if (gone?.aborted !== true && closing.aborted) throw new ConnectionResetError(closedEarly, { cause })
      throw new RequestAbortedError('The client disconnected while its answer was delayed', { cause })
    } finally {
      end.abort(over)
    }
  }

  /** The service's five endpoints (spec 4). */
  readonly #endpoints: Readonly<Record<EndpointName, (call: AdmittedCall) => Outcome | Promise<Outcome>>> = {
    upload: async (call) => {
      const { uploads } = this.#parts.service
      const { file, method } = await call.receive(uploads)
      if (method && upperCased(method) !== 'POST') {
        await uploads.discard(file)
        call.entry.method = loggedMethod(upperCased(method))
        return methodRefusal(upperCased(method), call.target, call.route)
      }
      const upload = await uploads.create(call.account.id, file)
      // A duplicate's upload has another blob, and stored nothing.
      if (file.kind === 'file' && !('kind' in upload) && upload.blobId === file.blobId) call.entry.stored = true
      return this.#uploadOutcome(201, upload, call)
    },

    list: ({ request, target, account }) => {
      const settings = this.#parts.settings.current
      const { page_invalid, page_beyond_last, page_size: perPage } = settings
      const parsed = parsePage(target.query.text('page'))
      const isInvalid = typeof parsed === 'string'
      if (isInvalid && page_invalid === '422') return { kind: 'invalid-page', message: parsed }
      if (isInvalid && page_invalid === '404') return { kind: 'page-not-found' }
      const page = isInvalid ? 1 : parsed
      const { uploads, total } = this.#parts.service.uploads.page(account.id, page)
      if (page > lastPageOf(total, perPage) && page_beyond_last === '404') return { kind: 'page-not-found' }
      const path = `${linkOrigin(request.origin, settings.page_url_scheme)}${withoutEndSlashes(target.path)}`
      const query = settings.page_urls_keep_query ? queryWithoutPage(target.sentQuery) : ''
      const place = this.#placeOf(request)
      const items = uploads.map((upload) => presentUpload(upload, place))
      return this.#json(200, paginate(items, { page, perPage, total, path, query, settings }))
    },

    show: (call) => this.#uploadOutcome(200, this.#parts.service.uploads.find(call.account.id, call.route.slug), call),

    delete: async ({ account, route }) => {
      const removed = this.#parts.service.uploads.remove(account.id, route.slug)
      const { delete_missing } = this.#parts.settings.current
      if ('kind' in removed && (removed.kind !== 'upload-not-found' || delete_missing === '404')) return removed
      if ('kind' in removed && delete_missing === '204') return { status: 204, headers: {}, body: null }
      return this.#json(200, { deleted: true })
    },

    stats: ({ account }) =>
      this.#json(200, presentStats(this.#parts.service.stats(account), this.#parts.settings.current)),
  }

  #json(status: number, value: unknown): HttpResponse {
    return jsonResponse(status, jsonText(value, this.#parts.settings.current.json_style))
  }

  #placeOf({ origin }: HttpRequest) {
    return { siteUrl: this.#parts.siteUrl ?? origin, settings: this.#parts.settings.current }
  }

  #uploadOutcome(status: number, upload: UploadRecord | Refusal, { request }: Call): Outcome {
    if ('kind' in upload) return upload
    return this.#json(status, { upload: presentUpload(upload, this.#placeOf(request)) })
  }
}

/** A request in progress: a clock in the mode `auto` stands meanwhile, but for a pause. */
function handlingOn(clock: EmulatorClock) {
  let release: (() => void) | undefined
  const resume = () => {
    release ??= clock.beginRequest()
  }
  const pause = () => {
    release?.()
    release = undefined
  }
  resume()
  return { resume, pause }
}

/** How long a body may pause before its client counts as waiting, in milliseconds of real time. */
const pauseMs = 50

/**
 * The body of a request. The clock may move while it pauses: its client may be sleeping on it between two parts.
 * @throws RequestAbortedError
 */
async function* arriving(body: HttpRequest['body'], handling: ReturnType<typeof handlingOn>) {
  const wait = () => afterRealTime(pauseMs, () => handling.pause())
  let stop = wait()
  try {
    for await (const chunk of body) {
      stop()
      handling.resume()
      yield chunk
      stop = wait()
    }
    handling.resume()
  } catch (cause) {
    throw new RequestAbortedError('The client disconnected before its request had arrived', { cause })
  } finally {
    stop()
  }
}

const closedEarly = 'The connection was broken because the emulator closed while it held the answer back'

function isAdmitted(call: Call): call is AdmittedCall {
  return call.account != null && call.route !== undefined
}

/** The service's own delay, cut short because the emulator closes. @throws any other error */
function unlessClosing(error: unknown): void {
  if (!(error instanceof ConnectionResetError)) throw error
}

/** The method that a POST names instead of its own; in upper case, not always a valid method. */
async function methodOfPost(call: Call): Promise<string> {
  const { headers } = call.request
  const { query } = call.target
  const named = headers['x-http-method-override'] ?? (query.values.size > 0 ? query.text(overrideField) : undefined)
  if (named) return upperCased(named)
  // An upload's form is read with its file, so its `_method` is checked then.
  if (call.route?.endpoints.has('POST') || !isForm(headers['content-type'] ?? '')) return 'POST'
  const sent = { contentType: headers['content-type'] ?? '', body: call.body, query }
  const { method } = await readForm(uploadField, sent, measuringFiles)
  return method ? upperCased(method) : 'POST'
}

/** The refusal of a method that the route does not have. */
function methodRefusal(method: string, { path }: RequestTarget, route: Route): WireRefusal {
  if (!/^[A-Z]+$/.test(method)) return { kind: 'bad-method' }
  return { kind: 'method-not-allowed', method, path, allowed: [...route.endpoints.keys()] }
}

function linkOrigin(origin: string, scheme: 'request' | 'http' | 'wrong'): string {
  const wrong = origin.startsWith('https:') ? 'http:' : 'https:'
  return scheme === 'request' ? origin : origin.replace(/^https?:/, scheme === 'http' ? 'http:' : wrong)
}

function noteOf(refusal: WireRefusal, { verdict }: Call): RefusalNote {
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

/** @throws the error if the client gets no response */
function refusalOf(error: unknown): WireRefusal {
  if (error instanceof RequestAbortedError || error instanceof ConnectionResetError) throw error
  if (error instanceof BodyTooLargeError) return { kind: 'body-too-large' }
  // The client learns no details (spec 7.2), so the emulator's output shows them.
  tellError(error)
  return { kind: 'server-error' }
}
