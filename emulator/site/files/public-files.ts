import { hash } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '../../http.ts'
import type { PublicUploads } from '../../service/public-uploads.ts'
import type { ByteRange } from '../../storage/blobs.ts'
import type { UploadRecord } from '../../storage/record-types.ts'
import type { SiteRequest } from '../visitor.ts'
import { beginsAtFirstByte, fileReply } from './file-reply.ts'
import { previewParameter, rawName } from './raw-name.ts'

/**
 * If an accepted type could hold a page after all, that page would run no script, send no form and load nothing from
 * elsewhere. What is allowed is what browsers make of a file that is opened by itself: a page with a style around the
 * picture, or with a player that fetches the video again, which a page without an origin may not.
 */
const harmless = {
  'Content-Security-Policy':
    "sandbox allow-same-origin; default-src 'none'; media-src 'self'; style-src 'unsafe-inline'",
}

/** Files as visitors get them; undefined if there is none at the address. */
export function createPublicFiles(publicUploads: PublicUploads) {
  return {
    /** Counts the view of a GET that begins at the first byte, except for a page's own picture. */
    raw(
      { slug, extension }: { readonly slug: string; readonly extension: string },
      { request, query }: Pick<SiteRequest, 'request' | 'query'>,
    ): HttpResponse | undefined {
      const upload = publicUploads.find(slug)
      if (upload === undefined || rawName(upload) !== `${slug}.${extension}`) return undefined
      const { mimeType, sizeBytes, createdAt: modifiedAt } = upload
      const etag = tagOf(slug, ...contentOf(upload))
      const read = (range: ByteRange) => publicUploads.read(upload, range)
      const reply = fileReply(request, { mimeType, sizeBytes, etag, modifiedAt, read })
      const isView = request.method === 'GET' && beginsAtFirstByte(reply) && !query.values.has(previewParameter)
      if (isView) publicUploads.countView(upload, 'file')
      return { ...reply, headers: { ...reply.headers, ...harmless } }
    },
    thumbnail(slug: string, request: HttpRequest): HttpResponse | undefined {
      const upload = publicUploads.find(slug)
      if (upload?.thumbnail.state !== 'ready') return undefined
      const { blobId, mimeType, sizeBytes } = upload.thumbnail
      const read = (range: ByteRange) => publicUploads.readThumbnail(upload, blobId, range)
      const etag = tagOf(slug, 'thumbnail', `${sizeBytes}`, ...contentOf(upload))
      return fileReply(request, { mimeType, sizeBytes, etag, modifiedAt: upload.createdAt, read })
    },
  }
}

/** Names the bytes of an upload, re-encoded ones by their size too. */
function contentOf({ sha256, sizeBytes, mimeType }: UploadRecord): readonly string[] {
  return [sha256 ?? mimeType, `${sizeBytes}`]
}

/** A slug's file never changes, but restoring an earlier state may put another file under it. */
function tagOf(...parts: readonly string[]): string {
  return `"${hash('sha256', parts.join(' ')).slice(0, 32)}"`
}
