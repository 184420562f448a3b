import type { EndpointName } from '../../src/protocol/endpoints.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import type { HttpReply } from '../http-types.ts'
import { type Result, refused, succeeded } from '../service/refusal.ts'
import type { Settings } from '../settings/settings.ts'
import type { UploadRecord } from '../storage/record-types.ts'
import { methodRefusal } from './api-routes.ts'
import { queryValue, withoutEndSlashes } from './request/addresses.ts'
import { parsePage, queryWithoutPage } from './request/page-number.ts'
import { upperCased } from './request/php-variables.ts'
import { receiveForm } from './request/upload-form.ts'
import { type AdmittedRequest, loggedMethod } from './request-context.ts'
import { createPageWriter, lastPageOf } from './response/paginator.ts'
import { createUploadWriter, type PresentationContext, presentStats } from './response/presenters.ts'
import type { WireRefusal } from './response/refusals.ts'
import { jsonReply, writtenReply } from './response/reply.ts'

/** Answers an admitted request or refuses it. */
export type EndpointHandler = (request: AdmittedRequest) => EndpointResult | Promise<EndpointResult>

export type EndpointResult = Result<HttpReply, WireRefusal>

/** The service's five endpoints (spec 4). */
export function createEndpoints({
  service,
  settings,
  siteUrl,
}: Pick<EmulatorParts, 'service' | 'settings' | 'siteUrl'>): Record<EndpointName, EndpointHandler> {
  const write = createUploadWriter()
  const writePage = createPageWriter(write)
  const viewOf = ({ request }: AdmittedRequest) => ({ siteUrl: siteUrl ?? request.origin, settings: settings.current })

  const reply = (status: number, value: unknown) =>
    succeeded(jsonReply(status, value, { style: settings.current.json_style }))

  const uploadReply = (status: number, upload: Result<UploadRecord>, context: AdmittedRequest) =>
    upload.ok ? succeeded(writtenReply(status, `{"upload":${write(upload.value, viewOf(context))}}`)) : upload

  return {
    async upload(context) {
      const { account, entry } = context
      const { file, method } = await receiveForm(context, service.uploads)
      if (method && upperCased(method) !== 'POST') {
        await service.uploads.discard(file)
        entry.method = loggedMethod(upperCased(method))
        return refused(methodRefusal(upperCased(method), context))
      }
      const upload = await service.uploads.create(account.id, file)
      // A duplicate's upload has another blob, and stored nothing.
      if (file.kind === 'file' && upload.ok && upload.value.blobId === file.blobId) entry.stored = true
      return uploadReply(201, upload, context)
    },

    list(context) {
      const { page_invalid, page_beyond_last, page_size: perPage } = settings.current
      const parsed = parsePage(queryValue(context.target.query, 'page'))
      if (!parsed.ok && page_invalid === '422') return refused({ kind: 'invalid-page', message: parsed.refusal })
      if (!parsed.ok && page_invalid === '404') return refused({ kind: 'page-not-found' })
      const page = parsed.ok ? parsed.value : 1
      const { uploads: items, total } = service.uploads.page(context.account.id, page)
      if (page > lastPageOf(total, perPage) && page_beyond_last === '404') return refused({ kind: 'page-not-found' })
      const written = writePage({ items, page, perPage, total, ...placeOf(context, viewOf(context)) })
      return succeeded(writtenReply(200, written))
    },

    show: (context) => uploadReply(200, service.uploads.find(context.account.id, context.route.slug), context),

    async delete({ account, route }) {
      const removed = await service.uploads.remove(account.id, route.slug)
      if (removed.ok) return reply(200, { deleted: true })
      const { delete_missing } = settings.current
      if (removed.refusal.kind !== 'upload-not-found' || delete_missing === '404') return removed
      return delete_missing === '200'
        ? reply(200, { deleted: true })
        : succeeded({ status: 204, headers: {}, body: null })
    },

    stats: ({ account }) => reply(200, presentStats(service.stats(account), settings.current)),
  }
}

/** What a page depends on besides its uploads. Not spread: what stands behind a spread takes ten times as long. */
function placeOf({ request, target }: AdmittedRequest, { siteUrl, settings }: PresentationContext) {
  const path = `${linkOrigin(request.origin, settings.page_url_scheme)}${withoutEndSlashes(target.path)}`
  return { siteUrl, settings, path, query: settings.page_urls_keep_query ? queryWithoutPage(target.query) : '' }
}

function linkOrigin(origin: string, scheme: Settings['page_url_scheme']): string {
  const wrong = origin.startsWith('https:') ? 'http:' : 'https:'
  return scheme === 'request' ? origin : origin.replace(/^https?:/, scheme === 'http' ? 'http:' : wrong)
}
