import type { EmulatorClock } from '../clock/clock.ts'
import type { HttpReply, HttpRequest } from '../http-types.ts'
import type { Service } from '../service/service.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { SiteRoute } from './site-routes.ts'

export interface SiteVisit {
  /** Decoded, below the website's address. */
  readonly path: string
  /** The account of the upload that it shows; null if it shows none. */
  ownerId(): number | null
  /** Counts the view, where the visit is one, and does what a form asks. */
  answer(): HttpReply | Promise<HttpReply>
}

/** The part of a request's URL that the website reads. */
export interface SiteTarget {
  /** Undefined if the path is not valid UTF-8. */
  readonly decodedPath: string | undefined
  readonly query: { readonly values: ReadonlyMap<string, unknown> }
}

export interface SiteContext {
  readonly service: Service
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  /** Where the website is, without a trailing slash; undefined means the origin of the request. */
  readonly siteUrl: string | undefined
  /** Whether sessions outlast this process. */
  readonly isDurable: boolean
}

/** Answers what is no file: a page, a form, or the refusal of a file. */
export type Pages = (visit: {
  readonly request: HttpRequest
  readonly query: SiteTarget['query']
  readonly path: string
  readonly route: SiteRoute
}) => Promise<HttpReply>
