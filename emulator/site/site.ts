import { hash } from 'node:crypto'
import { type HttpReply, type HttpRequest, headerOf } from '../http-types.ts'
import type { PublicUploads } from '../service/public-uploads.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { ByteRange } from '../storage/blob-store.ts'
import type { UploadRecord } from '../storage/records.ts'
import { beginsAtFirstByte, fileReply } from './file-reply.ts'
import { type Language, preferredLanguage } from './language.ts'
import {
  embedPage,
  filePage,
  landingPage,
  methodNotAllowedPage,
  notFoundPage,
  previewParameter,
  rawName,
} from './pages.ts'

/** Reads a website request; undefined if the path is not the website's. */
export type Site = (request: HttpRequest, target: SiteTarget) => SiteVisit | undefined

/** A request for a page or a file of the website. */
export interface SiteVisit {
  /** Decoded, below the website's address. */
  readonly path: string
  /** The account of the upload that it shows; null if it shows none. */
  ownerId(): number | null
  /** Counts the view, where the visit is one. */
  answer(): HttpReply
}

/** The part of a request's URL that the website reads. */
interface SiteTarget {
  /** Undefined if the path is not valid UTF-8. */
  readonly decodedPath: string | undefined
  readonly query: { readonly values: ReadonlyMap<string, unknown> }
}

interface SiteContext {
  readonly publicUploads: PublicUploads
  readonly settings: SettingsStore
  /** Where the website is, without a trailing slash; undefined means the origin of the request. */
  readonly siteUrl: string | undefined
}

/** A request for an existing page. */
interface PageRequest {
  readonly request: HttpRequest
  readonly query: SiteTarget['query']
  readonly language: Language
}

/** The website without sign-in (spec 2.1). It needs no key, and its requests do not count as API requests. */
export function createSite({ publicUploads, settings, siteUrl }: SiteContext): Site {
  const home = siteUrl === undefined ? '' : new URL(siteUrl).pathname.replace(/\/$/, '')

  /** A GET of a page or a file counts as a view; a HEAD does not. */
  const countedView = (upload: UploadRecord, seen: 'file' | 'page', { request }: PageRequest) =>
    request.method === 'GET' ? publicUploads.countView(upload, seen) : upload

  const rawReply = (upload: UploadRecord, visitor: PageRequest): HttpReply => {
    const { mimeType, sizeBytes, createdAt: modifiedAt } = upload
    const etag = tagOf(upload.slug, ...contentOf(upload))
    const read = (range: ByteRange) => publicUploads.read(upload, range)
    const reply = fileReply(visitor.request, { mimeType, sizeBytes, etag, modifiedAt, read })
    if (beginsAtFirstByte(reply) && !visitor.query.values.has(previewParameter)) countedView(upload, 'file', visitor)
    return reply
  }

  const thumbnailReply = (upload: UploadRecord, { request, language }: PageRequest) => {
    const { slug, thumbnail, createdAt: modifiedAt } = upload
    if (thumbnail.state !== 'ready') return notFoundPage(language)
    const { blobId, mimeType, sizeBytes } = thumbnail
    const read = (range: ByteRange) => publicUploads.readThumbnail(upload, blobId, range)
    const etag = tagOf(slug, 'thumbnail', `${sizeBytes}`, ...contentOf(upload))
    return fileReply(request, { mimeType, sizeBytes, etag, modifiedAt, read })
  }

  const uploadReply = (route: Exclude<SiteRoute, { page: 'landing' }>, visitor: PageRequest): HttpReply => {
    const upload = publicUploads.find(route.slug)
    if (upload === undefined) return notFoundPage(visitor.language)
    switch (route.page) {
      case 'file':
        return filePage(countedView(upload, 'page', visitor), { ...visitor, timezone: settings.current.timezone })
      case 'raw':
        return rawName(upload) === `${upload.slug}.${route.extension}`
          ? rawReply(upload, visitor)
          : notFoundPage(visitor.language)
      case 'thumbnail':
        return thumbnailReply(upload, visitor)
      case 'embed':
        return embedPage(countedView(upload, 'page', visitor), visitor.language)
    }
  }

  const answer = (route: SiteRoute, visitor: PageRequest): HttpReply => {
    const { request, language } = visitor
    if (!/^(GET|HEAD)$/.test(request.method)) return methodNotAllowedPage(language)
    if (route.page !== 'landing') return uploadReply(route, visitor)
    const { max_file_size: maxFileSizeBytes } = settings.current
    return landingPage({ language, origin: request.origin, maxFileSizeBytes })
  }

  return (request, { decodedPath, query }) => {
    if (decodedPath === undefined) return undefined
    const path = decodedPath.startsWith(`${home}/`) ? decodedPath.slice(home.length) : decodedPath
    const route = findSiteRoute(path)
    if (route === undefined) return undefined
    return {
      path,
      ownerId: () => (route.page === 'landing' ? null : (publicUploads.find(route.slug)?.accountId ?? null)),
      answer() {
        const language = preferredLanguage(headerOf(request, 'accept-language'))
        return answer(route, { request, query, language })
      },
    }
  }
}

/** Names the bytes of an upload, re-encoded ones by their size too. */
function contentOf({ sha256, blobId, sizeBytes, mimeType }: UploadRecord): readonly string[] {
  return [sha256 ?? blobId ?? mimeType, `${sizeBytes}`]
}

/** A slug's file never changes, but restoring an earlier state may put another file under it. */
function tagOf(...parts: readonly string[]): string {
  return `"${hash('sha256', parts.join(' ')).slice(0, 32)}"`
}

/** The target of a website path. */
export type SiteRoute =
  | { readonly page: 'landing' }
  | { readonly page: 'file' | 'thumbnail' | 'embed'; readonly slug: string }
  | { readonly page: 'raw'; readonly slug: string; readonly extension: string }

const pages: Readonly<Record<string, 'file' | 'thumbnail' | 'embed'>> = { i: 'file', t: 'thumbnail', e: 'embed' }

/** Finds the route of a decoded path; undefined if the website has none. */
export function findSiteRoute(decodedPath: string): SiteRoute | undefined {
  if (decodedPath === '/') return { page: 'landing' }
  const [, place = '', slug = '', extension] = /^\/([ite])\/([^/.]+)(?:\.([^/]+))?$/.exec(decodedPath) ?? []
  const page = pages[place]
  if (extension === undefined) return page && { page, slug }
  return page === 'file' ? { page: 'raw', slug, extension } : undefined
}
