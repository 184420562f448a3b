import type { HttpHandler, HttpReply, HttpRequest } from '../../http-types.ts'
import { type AccessOptions, type AskedFor, judgeAccess } from './access-guard.ts'
import type { ControlError } from './errors.ts'
import type { PageAccess } from './page-access.ts'

/**
 * Answers a request that was judged.
 * @param refusal undefined if it may pass
 */
export type JudgedHandler = (request: HttpRequest, refusal: ControlError | undefined) => Promise<HttpReply>

export interface ControlDoorParts extends AccessOptions {
  readonly api: JudgedHandler
  readonly dashboard: JudgedHandler
  /** Opens the control API to the dashboard's own page. */
  readonly pages: Pick<PageAccess, 'opens'>
}

/** Everything below `/_emulator`: the one place that asks who may use it. */
export function createControlDoor({ api, dashboard, pages, ...access }: ControlDoorParts): HttpHandler {
  return (request) => {
    const asked = askedFor(request.url)
    const refusal = judgeAccess(request, access, asked)
    if (asked !== 'api') return dashboard(request, refusal)
    const isOpen = refusal === undefined || pages.opens(request, refusal)
    return api(request, isOpen ? undefined : refusal)
  }
}

/** @param url as sent */
function askedFor(url: string): AskedFor {
  if (!/^\/_emulator\/ui(?:[/?#]|$)/.test(url)) return 'api'
  return /^\/_emulator\/ui\/?(?:[?#]|$)/.test(url) ? 'page' : 'dashboard'
}
