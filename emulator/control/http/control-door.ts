import { type HttpHandler, type HttpRequest, type HttpResponse, wantsPage } from '../../http.ts'
import { type AccessOptions, type AskedFor, judgeAccess } from './access-guard.ts'
import { type ControlError, controlError } from './errors.ts'

/**
 * Answers a request that was judged.
 * @param refusal undefined if it may pass
 */
export type JudgedHandler = (request: HttpRequest, refusal: ControlError | undefined) => Promise<HttpResponse>

export interface ControlDoorParts extends AccessOptions {
  readonly api: JudgedHandler
  readonly dashboard: JudgedHandler
}

/** Everything below `/_emulator`: the one place that asks who may use it. */
export function createControlDoor({ api, dashboard, ...access }: ControlDoorParts): HttpHandler {
  return async (request) => {
    if (!hasPlainHost(request)) return api(request, malformedHost)
    // The start prints the address of the control API, and people open it.
    if (/^\/_emulator\/?(?:[?#]|$)/.test(request.url) && wantsPage(request)) return toDashboard
    const asked = askedFor(request.url)
    const refusal = judgeAccess(request, access, asked)
    return asked === 'api' ? api(request, refusal) : dashboard(request, refusal)
  }
}

const malformedHost = controlError(
  400,
  'malformed-host',
  'The Host header has characters that no host has',
  'Use localhost or 127.0.0.1 with the port of the emulator',
)

const toDashboard: HttpResponse = { status: 302, headers: { Location: '/_emulator/ui', Vary: 'Accept' }, body: '' }

/** Whether the host has only characters of names and addresses: no user, and no path. */
function hasPlainHost({ origin }: HttpRequest): boolean {
  return /^https?:\/\/[\w.:[\]-]*$/i.test(origin)
}

/** @param url as sent */
function askedFor(url: string): AskedFor {
  if (!/^\/_emulator\/ui(?:[/?#]|$)/.test(url)) return 'api'
  return /^\/_emulator\/ui\/?(?:[?#]|$)/.test(url) ? 'page' : 'dashboard'
}
