import type { EndpointName } from '../../src/protocol/endpoints.ts'
import type { Refusal } from '../service/refusal.ts'
import type { Service } from '../service/service.ts'
import { uploadsPerPage } from '../service/uploads.ts'
import type { SettingsStore } from '../settings.ts'
import type { AccountRecord, UploadRecord } from '../storage/record-store.ts'
import { type HttpReply, type HttpRequest, headerOf } from './exchange.ts'
import { jsonReply } from './json.ts'
import { paginate, parsePage } from './paginator.ts'
import { presentUpload } from './presenters.ts'
import { queryValue, type RequestTarget } from './request-target.ts'
import { readUploadForm } from './upload-form.ts'

/** A request that has been let in. */
export interface Call {
  readonly request: HttpRequest
  readonly target: RequestTarget
  readonly body: AsyncIterable<Uint8Array>
  readonly account: AccountRecord
  /** Empty where the route has none. */
  readonly slug: string
}

/** Answers an admitted call, or says why not. */
export type EndpointHandler = (call: Call) => HttpReply | Refusal | Promise<HttpReply | Refusal>

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
    presentUpload(upload, { siteUrl: siteUrl ?? request.origin, timezone: settings.current.timezone })

  const uploadReply = (status: number, upload: UploadRecord | Refusal, call: Call) =>
    'kind' in upload ? upload : jsonReply(status, { upload: present(upload, call) })

  return {
    async upload(call) {
      const contentType = headerOf(call.request, 'content-type') ?? ''
      const file = await readUploadForm(contentType, call.body, service.uploads)
      return uploadReply(201, await service.uploads.create(call.account.id, file), call)
    },

    list(call) {
      const page = parsePage(queryValue(call.target.query, 'page'))
      const { uploads, total } = service.uploads.page(call.account.id, page)
      const items = uploads.map((upload) => present(upload, call))
      const path = `${call.request.origin}${call.target.path.replace(/\/$/, '')}`
      return jsonReply(200, paginate({ items, page, perPage: uploadsPerPage, total, path }))
    },

    show: (call) => uploadReply(200, service.uploads.find(call.account.id, call.slug), call),

    async delete(call) {
      const removed = await service.uploads.remove(call.account.id, call.slug)
      return 'kind' in removed ? removed : jsonReply(200, { deleted: true })
    },

    stats: (call) => jsonReply(200, service.stats(call.account)),
  }
}
