import type { EmulatorParts } from '../emulator-parts.ts'
import type { Admission } from '../http/admission.ts'
import type { Delay } from '../http/delay.ts'
import { bodyLimits, ConnectionResetError, receiveBody } from '../http/request/request-body.ts'
import { receiveForm } from '../http/request/upload-form.ts'
import type { RequestContext } from '../http/request-context.ts'
import { webServerReply } from '../http/response/framework-errors.ts'
import type { HttpReply, HttpRequest } from '../http-types.ts'
import { measuringFiles } from '../service/file-intake.ts'
import type { SiteVisit } from '../site/site.ts'
import type { FaultAction } from './fault.ts'
import { applyFault, serviceReply } from './fault-answers.ts'
import type { FaultPoint } from './fault-book.ts'
import { distort } from './fault-distortions.ts'

interface FaultGateContext extends Pick<EmulatorParts, 'faults' | 'settings' | 'clock'> {
  readonly admission: Admission
  readonly delay: Delay
}

/** The points where requests meet faults: three for the API, one for the website. */
export function createFaultGate({ faults, admission, settings, clock, delay }: FaultGateContext) {
  const trigger = (point: FaultPoint, context: RequestContext): FaultAction | undefined => {
    const { method, endpoint } = context.entry
    const struck = faults.trigger(point, { method, endpoint, accountId: admission.lookUp(context)?.id ?? null })
    if (struck === undefined) return undefined
    const { id, action } = struck
    // The log names the account even if the fault acts before the key check.
    admission.accountOf(context)
    context.fault = action
    context.entry.fault = action.type
    context.entry.faultId = id
    return action
  }

  return {
    /** @throws ConnectionResetError if a fault resets the connection */
    onArrival(context: RequestContext) {
      if (trigger('arrival', context) === undefined) return
      throw new ConnectionResetError('A fault broke the connection before the request was read')
    },
    /**
     * Called right before the quota check.
     * @returns the reply that replaces the service's, or undefined if the service answers
     * @throws ConnectionResetError if a fault resets the connection
     */
    async beforeQuota(context: RequestContext): Promise<HttpReply | undefined> {
      const action = trigger('gate', context)
      if (action === undefined) return undefined
      const { request } = context
      const answered = { request, settings: settings.current, now: clock.now() }
      const usualReply = (status: number) => serviceReply(status, answered)
      return applyFault(action, {
        settings: settings.current,
        receive: (mostBytes) => discardRequest(context, mostBytes),
        usualReply,
        pass: (ms) => delay(ms, request),
      })
    },
    /**
     * Applies the fault to the finished reply.
     * @throws ConnectionResetError if the client gets no reply
     */
    onAnswer: (fault: FaultAction, reply: HttpReply, request: HttpRequest): HttpReply =>
      distort(fault, reply, { request, clock, delay }),
    /**
     * Answers a visit of the website as a fault says, if one strikes it.
     * @param complete makes a reply whole, as it would be sent
     * @throws ConnectionResetError if the client gets no reply
     */
    async onVisit(
      { path, ownerId, answer }: SiteVisit,
      request: HttpRequest,
      complete: (reply: HttpReply) => HttpReply,
    ): Promise<HttpReply> {
      const action = faults.trigger('site', { method: request.method, endpoint: path, accountId: ownerId() })?.action
      if (action === undefined) return complete(await answer())
      if (action.type === 'reset_before') throw new ConnectionResetError('A fault broke the connection of a visitor')
      const body = receiveBody(request, bodyLimits(settings.current).received)
      const instead = await applyFault(action, {
        settings: settings.current,
        receive: (mostBytes) => discardBody(body, mostBytes),
        usualReply: webServerReply,
        pass: (ms) => delay(ms, request),
      })
      return distort(action, complete(instead ?? (await answer())), { request, clock, delay })
    },
  }
}

type Body = AsyncIterable<Uint8Array>

/** Reads and discards a body, or its first bytes. */
async function discardBody(body: Body, mostBytes?: number): Promise<void> {
  for await (const _ of firstOf(body, mostBytes));
}

/** The same of an API request; the log notes the file of an upload, so that a test sees what was sent. */
async function discardRequest(context: RequestContext, mostBytes?: number): Promise<void> {
  const { route, entry, body } = context
  if (route?.endpoints.get(entry.method) !== 'upload') return discardBody(body, mostBytes)
  await receiveForm(context, measuringFiles, firstOf(body, mostBytes))
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
