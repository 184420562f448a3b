import { type HttpRequest, headerOf } from '../http-types.ts'
import type { Session } from '../service/sign-in/sessions.ts'
import type { AccountRecord } from '../storage/records.ts'
import { isFromThisMachine } from '../this-machine.ts'
import { isLoopbackName } from '../values/ip-allowlist.ts'
import type { PageNote } from './notes.ts'
import { type Language, languageOf, preferredLanguage } from './texts/language.ts'
import { type Texts, texts } from './texts/texts.ts'

/** All that a page or a form needs to know of the request and its sender. */
export interface Visitor {
  readonly request: HttpRequest
  readonly query: { readonly values: ReadonlyMap<string, unknown> }
  readonly language: Language
  readonly say: Texts
  /** The site's home, relative to the page: `./` or `../`. */
  readonly root: string
  /** The path of the page below the site's home, without a slash at its start. */
  readonly path: string
  /** The origin under which the visitor sees the site. */
  readonly origin: string
  /**
   * Whether the visitor is on this machine and used a name that only this machine can have. A page whose own name suddenly
   * resolves to this machine (DNS rebinding) looks as if it were the site's, and behind a proxy anybody may be.
   */
  readonly isOfThisMachine: boolean
  /** As the API sees it; behind a proxy that is trusted, the visitor's own. */
  readonly address: string
  /** The address of the site's home under which others see it, without a slash at its end. */
  readonly home: string
  /** Undefined for a visitor who is not signed in; its account still exists. */
  readonly session: OpenSession | undefined
  /** The service's time in epoch milliseconds. */
  readonly now: number
  /** An IANA name. */
  readonly timezone: string
  /** Whether a person looks at the page: it is no HEAD and is not fetched in advance. */
  readonly isLooking: boolean
  /** What the form before this page left for it; undefined if it is opened by itself. */
  readonly note: PageNote | undefined
  /** A new token for a form of the page. */
  formToken(): string
  /** Leaves a note for the page that follows. @returns its name */
  leave(note: PageNote): string
}

export interface OpenSession extends Session {
  readonly account: AccountRecord
}

export type SignedIn = Visitor & { readonly session: OpenSession }

/** The chosen language, or else the browser's. */
export function spokenLanguage(chosen: string | undefined, request: HttpRequest): Language {
  return languageOf(chosen ?? '') ?? preferredLanguage(headerOf(request, 'accept-language'))
}

export function textsOf(language: Language): Texts {
  return texts[language]
}

/** See {@link Visitor.isOfThisMachine}. Without a socket there is no DNS, and the address may have any name. */
export function isOfThisMachine(request: HttpRequest): boolean {
  const host = request.origin.slice(request.origin.indexOf('://') + 3).replace(/:\d+$/, '')
  return isFromThisMachine(request) && (request.localPort === undefined || isLoopbackName(host))
}
