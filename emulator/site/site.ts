import { hash } from 'node:crypto'
import { type HttpReply, type HttpRequest, headerOf } from '../http-types.ts'
import type { Visits } from '../service/visits.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { ByteRange } from '../storage/blob-store.ts'
import type { UploadRecord } from '../storage/record-store.ts'
import { rawName } from './file-name.ts'
import { embedPage, filePage, previewParameter } from './file-page.ts'
import { beginsAtFirstByte, fileReply } from './file-reply.ts'
import { landingPage } from './landing-page.ts'
import { type Language, preferredLanguage } from './language.ts'
import { methodNotAllowedPage, notFoundPage } from './refusal-page.ts'
import { findSiteRoute, type SiteRoute } from './site-routes.ts'

/** Answers what the website has; undefined where the path is none of its. */
export type Site = (request: HttpRequest, target: SiteTarget) => HttpReply | undefined

/** What of a request's address the website looks at. */
interface SiteTarget {
  /** Undefined where the path is not valid UTF-8. */
  readonly decodedPath: string | undefined
  readonly query: { readonly values: ReadonlyMap<string, unknown> }
}

interface SiteContext {
  readonly visits: Visits
  readonly settings: SettingsStore
  /** Where the website is, without a slash at the end; the origin a visitor came to where undefined. */
  readonly siteUrl: string | undefined
}

/** A visitor of a route that there is. */
interface Visitor {
  readonly request: HttpRequest
  readonly query: SiteTarget['query']
  readonly language: Language
}

/**
 * The website as far as anybody sees it without signing in (spec 2.1). No key is asked for and none is looked at;
 * nothing of this is a request to the API.
 */
export function createSite({ visits, settings, siteUrl }: SiteContext): Site {
  const home = siteUrl === undefined ? '' : new URL(siteUrl).pathname.replace(/\/$/, '')

  /** A page, the raw file and the embed page are a view each; looking at the headers is none. */
  const counted = (upload: UploadRecord, seen: 'file' | 'page', { request }: Visitor) =>
    request.method === 'GET' ? visits.count(upload, seen) : upload

  const rawReply = (upload: UploadRecord, visitor: Visitor): HttpReply => {
    const { mimeType, sizeBytes, createdAt: modifiedAt } = upload
    const etag = tagOf(upload.slug, upload.blobId ?? `${sizeBytes} ${mimeType}`)
    const read = (range: ByteRange) => visits.read(upload, range)
    const reply = fileReply(visitor.request, { mimeType, sizeBytes, etag, modifiedAt, read })
    if (beginsAtFirstByte(reply) && !visitor.query.values.has(previewParameter)) counted(upload, 'file', visitor)
    return reply
  }

  const thumbnailReply = (upload: UploadRecord, { request, language }: Visitor) => {
    const { slug, thumbnail, createdAt: modifiedAt } = upload
    if (thumbnail.state !== 'ready') return notFoundPage(language)
    const { blobId, mimeType, sizeBytes } = thumbnail
    const read = (range: ByteRange) => visits.readThumbnail(upload, blobId, range)
    return fileReply(request, { mimeType, sizeBytes, etag: tagOf(slug, blobId), modifiedAt, read })
  }

  const uploadReply = (route: Exclude<SiteRoute, { page: 'landing' }>, visitor: Visitor): HttpReply => {
    const upload = visits.find(route.slug)
    if (upload === undefined) return notFoundPage(visitor.language)
    switch (route.page) {
      case 'file':
        return filePage(counted(upload, 'page', visitor), { ...visitor, timezone: settings.current.timezone })
      case 'raw':
        return rawName(upload) === `${upload.slug}.${route.extension}`
          ? rawReply(upload, visitor)
          : notFoundPage(visitor.language)
      case 'thumbnail':
        return thumbnailReply(upload, visitor)
      case 'embed':
        return embedPage(counted(upload, 'page', visitor), visitor.language)
    }
  }

  return (request, { decodedPath, query }) => {
    if (decodedPath === undefined) return undefined
    const route = findSiteRoute(decodedPath.startsWith(`${home}/`) ? decodedPath.slice(home.length) : decodedPath)
    if (route === undefined) return undefined
    const visitor = { request, query, language: preferredLanguage(headerOf(request, 'accept-language')) }
    if (!/^(GET|HEAD)$/.test(request.method)) return methodNotAllowedPage(visitor.language)
    if (route.page !== 'landing') return uploadReply(route, visitor)
    const { max_file_size: maxFileSizeBytes } = settings.current
    return landingPage({ language: visitor.language, origin: request.origin, maxFileSizeBytes })
  }
}

/** A file under one slug never changes, but a service set back to an earlier state may have another one there. */
function tagOf(...parts: readonly string[]): string {
  return `"${hash('sha256', parts.join(' ')).slice(0, 32)}"`
}
