import type { EndpointName } from '../../src/protocol/endpoints.ts'
import type { Upload } from '../../src/protocol/resources.ts'
import { type HttpReply, type HttpRequest, headerOf } from '../http-types.ts'
import type { Refusal } from '../service/refusal.ts'
import type { Service } from '../service/service.ts'
import type { Settings, SettingsStore } from '../settings/settings.ts'
import type { AccountRecord, UploadRecord } from '../storage/record-store.ts'
import type { LogEntry } from './admission.ts'
import { upperCased } from './ascii.ts'
import { keptQuery, parsePage } from './request/page-number.ts'
import { queryValue, type RequestTarget, withoutEndSlashes } from './request/request-target.ts'
import { readUploadForm } from './request/upload-form.ts'
import { jsonReply } from './response/json.ts'
import { lastPageOf, type PageOf, paginate } from './response/paginator.ts'
import { presentStats, presentUpload } from './response/presenters.ts'
import type { WireRefusal } from './response/refusals.ts'

/** A request that has been let in. */
export interface Call {
  readonly request: HttpRequest
  readonly target: RequestTarget
  readonly body: AsyncIterable<Uint8Array>
  readonly account: AccountRecord
  /** What the log will say of it. */
  readonly entry: LogEntry
  /** Empty where the route has none. */
  readonly slug: string
}

/** Answers an admitted call, or says why not. */
export type EndpointHandler = (call: Call) => EndpointAnswer | Promise<EndpointAnswer>

type EndpointAnswer = HttpReply | WireRefusal | OtherMethod

/** The form of a POST turned out to mean another method, in upper case. */
export interface OtherMethod {
  readonly kind: 'other-method'
  readonly method: string
}

interface EndpointsContext {
  readonly service: Service
  readonly settings: SettingsStore
  /** Where the website is; the origin the client addressed unless given. */
  readonly siteUrl: string | undefined
}

/** The service's five calls (spec 4). */
export function createEndpoints({
  service,
  settings,
  siteUrl,
}: EndpointsContext): Record<EndpointName, EndpointHandler> {
  const present = (upload: UploadRecord, { request }: Call) =>
    presentUpload(upload, { siteUrl: siteUrl ?? request.origin, settings: settings.current })

  const reply = (status: number, value: unknown) => jsonReply(status, value, { style: settings.current.json_style })

  const uploadReply = (status: number, upload: UploadRecord | Refusal, call: Call) =>
    'kind' in upload ? upload : reply(status, { upload: present(upload, call) })

  return {
    async upload(call) {
      const contentType = headerOf(call.request, 'content-type') ?? ''
      const { file, method } = await readUploadForm(
        contentType,
        { body: call.body, query: call.target.query },
        service.uploads,
      )
      if (method !== undefined && method !== '' && upperCased(method) !== 'POST') {
        await service.uploads.dismiss(file)
        return { kind: 'other-method', method: upperCased(method) }
      }
      const upload = await service.uploads.create(call.account.id, file)
      if (file.kind === 'file' && 'slug' in upload && 'blobId' in upload && upload.blobId === file.blobId) {
        call.entry.content = `${file.sizeBytes}-${file.checksum?.toString(16)}`
      }
      return uploadReply(201, upload, call)
    },

    list(call) {
      const { page_invalid, page_beyond_last, page_size: perPage } = settings.current
      const parsed = parsePage(queryValue(call.target.query, 'page'))
      if ('fault' in parsed && page_invalid === '422') return { kind: 'invalid-page', message: parsed.fault }
      if ('fault' in parsed && page_invalid === '404') return { kind: 'page-not-found' }
      const page = 'fault' in parsed ? 1 : parsed.page
      const { uploads, total } = service.uploads.page(call.account.id, page)
      const isBeyond = page > lastPageOf(total, perPage)
      if (isBeyond && page_beyond_last === '404') return { kind: 'page-not-found' }
      const items = uploads.map((upload) => present(upload, call))
      return reply(200, paginate({ items, page, perPage, total, ...addressOf(call, settings.current) }))
    },

    show: (call) => uploadReply(200, service.uploads.find(call.account.id, call.slug), call),

    async delete(call) {
      const removed = await service.uploads.remove(call.account.id, call.slug)
      if (!('kind' in removed)) return reply(200, { deleted: true })
      const { delete_missing } = settings.current
      if (removed.kind !== 'upload-not-found' || delete_missing === '404') return removed
      return delete_missing === '200' ? reply(200, { deleted: true }) : { status: 204, headers: {}, body: null }
    },

    stats: (call) => reply(200, presentStats(service.stats(call.account), settings.current)),
  }
}

/** The URL of the list and what its pages' URLs repeat of the query. */
function addressOf({ request, target }: Call, settings: Settings): Pick<PageOf<Upload>, 'path' | 'query' | 'settings'> {
  const path = `${linkOrigin(request.origin, settings.page_url_scheme)}${withoutEndSlashes(target.path)}`
  return { path, query: settings.page_urls_keep_query ? keptQuery(target.query) : '', settings }
}

function linkOrigin(origin: string, scheme: Settings['page_url_scheme']): string {
  const wrong = origin.startsWith('https:') ? 'http:' : 'https:'
  return scheme === 'request' ? origin : origin.replace(/^https?:/, scheme === 'http' ? 'http:' : wrong)
}
