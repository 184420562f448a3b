import { type HttpHandler, type HttpRequest, type HttpResponse, wantsPage } from '../../http.ts'
import { type AccessOptions, type AskedFor, isForWantOfToken, judgeAccess } from './access-guard.ts'
import { type ControlError, controlError } from './errors.ts'
import type { PageAccess } from './page-access.ts'

/**
 * Answers a request that was judged.
 * @param refusal undefined if it may pass
 */
export type JudgedHandler = (request: HttpRequest, refusal: ControlError | undefined) => Promise<HttpResponse>

export interface ControlDoorParts extends AccessOptions {
  readonly api: JudgedHandler
  readonly dashboard: JudgedHandler
  /** Opens the control API to the dashboard's own page. Called only where the token is missing: most programs never need it. */
  readonly pages: () => Promise<Pick<PageAccess, 'opens'>>
}

/** Everything below `/_emulator`: the one place that asks who may use it. */
export function createControlDoor({ api, dashboard, pages, ...access }: ControlDoorParts): HttpHandler {
  return async (request) => {
    if (!hasPlainHost(request)) return api(request, malformedHost)
    // The start prints the address of the control API, and people open it.
    if (/^\/_emulator\/?(?:[?#]|$)/.test(request.url) && wantsPage(request)) return toDashboard
    const asked = askedFor(request.url)
    const refusal = judgeAccess(request, access, asked)
    if (asked !== 'api') return dashboard(request, refusal)
    const isOpen = refusal !== undefined && isForWantOfToken(refusal) && (await pages()).opens(request)
    return api(request, isOpen ? undefined : refusal)
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
