import { type HttpHandler, type HttpReply, type HttpRequest, wantsPage } from '../../http-types.ts'
import { type AccessOptions, type AskedFor, judgeAccess } from './access-guard.ts'
import type { ControlError } from './errors.ts'

/**
 * Answers a request that was judged.
 * @param refusal undefined if it may pass
 */
export type JudgedHandler = (request: HttpRequest, refusal: ControlError | undefined) => Promise<HttpReply>

export interface ControlDoorParts extends AccessOptions {
  readonly api: JudgedHandler
  readonly dashboard: JudgedHandler
}

/** Everything below `/_emulator`: the one place that asks who may use it. People open `/_emulator` too. */
export function createControlDoor({ api, dashboard, ...access }: ControlDoorParts): HttpHandler {
  return async (request) => {
    if (/^\/_emulator\/?(?:[?#]|$)/.test(request.url) && wantsPage(request)) {
      return { status: 302, headers: { Location: '/_emulator/ui', Vary: 'Accept' }, body: '' }
    }
    const asked = askedFor(request.url)
    return (asked === 'api' ? api : dashboard)(request, judgeAccess(request, access, asked))
  }
}

/** @param url as sent */
function askedFor(url: string): AskedFor {
  if (!/^\/_emulator\/ui(?:[/?#]|$)/.test(url)) return 'api'
  return /^\/_emulator\/ui\/?(?:[?#]|$)/.test(url) ? 'page' : 'dashboard'
}
