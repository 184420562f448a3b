import { clientAddress } from '../api/target.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import { type HttpRequest, isFromThisMachine, isLooking } from '../http.ts'
import { isLoopbackName } from '../values/ip-allowlist.ts'
import { cookiesOf } from './cookies.ts'
import { createFormTokens } from './forms/form-tokens.ts'
import { createNotes, noteField } from './notes.ts'
import { languageOf, preferredLanguage, texts } from './texts/language.ts'

export type SiteContext = Pick<EmulatorParts, 'service' | 'settings' | 'clock' | 'siteUrl' | 'isDurable'>

/** The part of a request that says what of the website is asked for. */
export interface SiteRequest {
  readonly request: HttpRequest
  readonly query: { readonly values: ReadonlyMap<string, unknown> }
  /** Decoded, below the website's address. */
  readonly path: string
}

/** Reads all that a page or a form needs to know of a request and its sender. */
export function createVisitors({ service, settings, clock, siteUrl, isDurable }: SiteContext) {
  const siteOrigin = siteUrl === undefined ? undefined : new URL(siteUrl).origin
  const tokens = createFormTokens(service.formSecret)
  const notes = createNotes()

  return ({ request, query, path }: SiteRequest) => {
    const origin = siteOrigin ?? request.origin
    const cookies = cookiesOf(request, origin, isDurable)
    const language = languageOf(cookies.language ?? '') ?? preferredLanguage(request.headers['accept-language'])
    const found = service.sessions.find(cookies.session ?? '')
    const session = found && { ...found, account: service.accounts.get(found.accountId) }
    return {
      request,
      query,
      cookies,
      language,
      say: texts[language],
      /** The site's home, relative to the page: `./` or `../`. */
      root: '../'.repeat(path.split('/').length - 2) || './',
      /** The path of the page below the site's home, without a slash at its start. */
      path: path.slice(1),
      /** The origin under which the visitor sees the site. */
      origin,
      isOfThisMachine: isOfThisMachine(request),
      /** As the API sees it; behind a proxy that is trusted, the visitor's own. */
      address: clientAddress(request, settings.current),
      /** The address of the site's home under which others see it, without a slash at its end. */
      home: siteUrl ?? request.origin,
      /** Undefined for a visitor who is not signed in; its account still exists. */
      session,
      /** The service's time in epoch milliseconds. */
      now: clock.now(),
      /** An IANA name. */
      timezone: settings.current.timezone,
      /** Whether a person looks at the page: it is no HEAD and is not fetched in advance. */
      isLooking: isLooking(request),
      /** What the form before this page left for it; undefined if it is opened by itself. */
      note: isLooking(request) ? notes.take(String(query.values.get(noteField) ?? '')) : undefined,
      /** A new token for a form of the page. */
      formToken: () => tokens.issue(session),
      isFormToken: (token: string) => tokens.isValid(token, session),
      /** Leaves a note for the page that follows. @returns its name */
      leave: notes.leave,
    } as const
  }
}

export type Visitor = ReturnType<ReturnType<typeof createVisitors>>

export type SignedIn = Visitor & { readonly session: NonNullable<Visitor['session']> }

export function isSignedIn(visitor: Visitor): visitor is SignedIn {
  return visitor.session !== undefined
}

/**
 * Whether the visitor is on this machine and used a name that only this machine can have. A page whose own name suddenly
 * resolves to this machine (DNS rebinding) looks as if it were the site's, and behind a proxy anybody may be. Without a
 * socket there is no DNS, and the address may have any name.
 */
function isOfThisMachine(request: HttpRequest): boolean {
  const host = request.origin.slice(request.origin.indexOf('://') + 3).replace(/:\d+$/, '')
  return isFromThisMachine(request) && (request.localPort === undefined || isLoopbackName(host))
}
