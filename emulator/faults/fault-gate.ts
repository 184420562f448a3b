import type { Admission } from '../api/admission.ts'
import {
  exceptionResponse,
  jsonResponse,
  jsonText,
  presentRefusal,
  type RefusalContext,
  type WireRefusal,
  webServerResponse,
} from '../api/response.ts'
import { bodyLimits, type Call, receiveBody } from '../api/target.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import { ConnectionResetError, type HttpRequest, type HttpResponse, hasNoBody, reasonPhrases } from '../http.ts'
import { measuringFiles } from '../service/uploads.ts'
import type { SiteVisit } from '../site/site.ts'
import type { AnswerInstead, FaultAction } from './fault.ts'
import type { FaultPoint } from './fault-book.ts'
import { type Delay, distort } from './fault-distortions.ts'

interface FaultGateParts extends Pick<EmulatorParts, 'faults' | 'settings' | 'clock'> {
  readonly admission: Admission
  readonly delay: Delay
}

/** A request that matched a fault: to the API before its quota check, to the website before its page. */
interface Struck {
  readonly request: HttpRequest
  /** Reads and discards the body, or its first bytes. */
  receive(mostBytes?: number): Promise<void>
  /** The response that usually has this status. */
  usual(status: number): HttpResponse
}

/** The points where requests meet faults: three for the API, one for the website. */
export class FaultGate {
  readonly #parts: FaultGateParts

  constructor(parts: FaultGateParts) {
    this.#parts = parts
  }

  #trigger(point: FaultPoint, call: Call): FaultAction | undefined {
    const { faults, admission } = this.#parts
    const { method, endpoint } = call.entry
    const struck = faults.trigger(point, { method, endpoint, accountId: admission.lookUp(call)?.id ?? null })
    if (struck === undefined) return undefined
    // The log names the account even if the fault acts before the key check.
    admission.accountOf(call)
    call.fault = struck.action
    call.entry.fault = struck.action.type
    call.entry.faultId = struck.id
    return struck.action
  }

  /** @throws ConnectionResetError if a fault resets the connection */
  onArrival(call: Call): void {
    if (this.#trigger('arrival', call) === undefined) return
    throw new ConnectionResetError('A fault broke the connection before the request was read')
  }

  /**
   * Called right before the quota check.
   * @returns the response that replaces the service's, or undefined if the service answers
   * @throws ConnectionResetError if a fault resets the connection
   */
  async beforeQuota(call: Call): Promise<HttpResponse | undefined> {
    const { settings, clock } = this.#parts
    const action = this.#trigger('gate', call)
    if (action === undefined) return undefined
    const { request } = call
    const context = { request, settings: settings.current, now: clock.now() }
    return this.#apply(action, {
      request,
      receive: (mostBytes) => discardCall(call, mostBytes),
      usual: (status) => serviceResponse(status, context),
    })
  }

  /**
   * Applies the fault to the finished response.
   * @throws ConnectionResetError if the client gets no response
   */
  onAnswer(fault: FaultAction, response: HttpResponse, request: HttpRequest): HttpResponse {
    return distort(fault, response, { request, ...this.#parts })
  }

  /**
   * Answers a visit of the website as a fault says, if one strikes it.
   * @param complete makes a response whole, as it would be sent
   * @throws ConnectionResetError if the client gets no response
   */
  async onVisit(
    { path, ownerId, answer }: SiteVisit,
    request: HttpRequest,
    complete: (response: HttpResponse) => HttpResponse,
  ): Promise<HttpResponse> {
    const { faults, settings } = this.#parts
    const action = faults.trigger('site', { method: request.method, endpoint: path, accountId: ownerId() })?.action
    if (action === undefined) return complete(await answer())
    if (action.type === 'reset_before') throw new ConnectionResetError('A fault broke the connection of a visitor')
    const body = receiveBody(request, bodyLimits(settings.current).received)
    const receive = (mostBytes?: number) => discard(body, mostBytes)
    const instead = await this.#apply(action, { request, receive, usual: webServerResponse })
    return this.onAnswer(action, complete(instead ?? (await answer())), request)
  }

  /**
   * Applies a fault before the service charges the request, or the website answers it.
   * @returns the response that replaces the service's, or undefined if the service answers
   * @throws ConnectionResetError if the fault resets the connection
   */
  async #apply(action: FaultAction, struck: Struck): Promise<HttpResponse | undefined> {
    switch (action.type) {
      case 'status':
        await struck.receive()
        return this.#answerInstead(action, struck)
      case 'html_error': {
        await struck.receive()
        const { status = 502 } = action
        return hasNoBody(status) ? { status, headers: {}, body: null } : webServerResponse(status)
      }
      case 'early_response':
        await struck.receive(action.bytes ?? 0)
        return this.#answerInstead({ ...action, status: action.status ?? 503 }, struck)
      case 'reset_after_body_bytes':
        await struck.receive(action.bytes)
        throw new ConnectionResetError('A fault broke the connection in the middle of the request')
      case 'delay':
        await this.#parts.delay(action.ms, struck.request)
        return undefined
      default:
        return undefined
    }
  }

  #answerInstead({ status, body, headers = {} }: AnswerInstead, struck: Struck): HttpResponse {
    if (hasNoBody(status)) return { status, headers, body: null }
    if (body === undefined) {
      const usual = struck.usual(status)
      return { ...usual, headers: { ...usual.headers, ...headers } }
    }
    if (typeof body === 'string') {
      return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body }
    }
    return jsonResponse(status, jsonText(body, this.#parts.settings.current.json_style), headers)
  }
}

/** The service's own response with this status, if it has one (spec 7). */
function serviceResponse(status: number, context: RefusalContext): HttpResponse {
  const refusal = usualRefusal(status, context.now)
  if (refusal !== undefined) return presentRefusal(refusal, context)
  return exceptionResponse(status, reasonPhrases[status] ?? '', context)
}

/** The Retry-After of a 429 that no quota window caused, in milliseconds from now. */
const minuteMs = 60_000

function usualRefusal(status: number, now: number): WireRefusal | undefined {
  const usual: Readonly<Record<number, WireRefusal>> = {
    401: { kind: 'invalid-key' },
    403: { kind: 'suspended', reason: null },
    422: { kind: 'invalid-file', problems: [{ kind: 'incomplete' }], oversized: false },
    429: { kind: 'quota-exceeded', window: 'minute', retryAt: now + minuteMs },
    500: { kind: 'server-error' },
    503: { kind: 'api-disabled' },
  }
  return usual[status]
}

type Body = AsyncIterable<Uint8Array>

/** Reads and discards a body, or its first bytes. */
async function discard(body: Body, mostBytes?: number): Promise<void> {
  for await (const _ of firstOf(body, mostBytes));
}

/** The same of an API request; the log notes the file of an upload, so that a test sees what was sent. */
async function discardCall(call: Call, mostBytes?: number): Promise<void> {
  if (call.endpoint !== 'upload') return discard(call.body, mostBytes)
  await call.receive(measuringFiles, firstOf(call.body, mostBytes))
}

/** Reads nothing for no bytes. */
async function* firstOf(body: Body, mostBytes = Number.POSITIVE_INFINITY): Body {
  if (mostBytes === 0) return
  let left = mostBytes
  for await (const chunk of body) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}
