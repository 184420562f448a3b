import type { Upload } from '../../protocol/resources.ts'
import {
  AccessDeniedError,
  AuthenticationError,
  type FileHostError,
  SourceError,
  UnavailableError,
  UnexpectedResponseError,
  UnknownOutcomeError,
} from '../errors.ts'
import type { UploadIntent } from '../exactly-once/upload-intent.ts'
import { isSuccess } from '../exchange.ts'

/** The list shows uploads that may be the one in question. */
export function ambiguousOutcome(
  unknown: UnknownOutcomeError,
  intent: UploadIntent,
  candidates: readonly Upload[],
): UnknownOutcomeError {
  return new UnknownOutcomeError(`${unknown.message}. ${likelyUploads(candidates)}`, {
    ...detailsOf(unknown, intent),
    candidates,
    cause: unknown.cause,
    hint: `Compare it with ${addressesOf(candidates)}; upload it again only if it is not there`,
  })
}

/** A sentence about uploads that may be the file: at least one. */
export function likelyUploads(candidates: readonly Upload[]): string {
  return `It is probably ${candidates.length === 1 ? '' : 'one of '}${addressesOf(candidates)}`
}

/** A list may have many that look alike. */
const MOST_NAMED = 10

function addressesOf(uploads: readonly Upload[]): string {
  const named = uploads.slice(0, MOST_NAMED).map(({ url }) => url)
  const more = uploads.length - named.length
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

/** The list cannot be read. */
export function unreadableOutcome(
  unknown: UnknownOutcomeError,
  intent: UploadIntent,
  cause: FileHostError,
): UnknownOutcomeError {
  const why = refusalInWords(cause)
  const because = why === undefined ? `: ${cause.message}` : `, because ${why} (${cause.message})`
  const message = `${unknown.message}: it may have been stored. The list, which would tell, cannot be read${because}`
  return new UnknownOutcomeError(message, {
    ...detailsOf(unknown, intent),
    cause,
    hint: cause instanceof UnexpectedResponseError ? `${unknown.hint}. ${cause.hint}` : unknown.hint,
  })
}

function refusalInWords(cause: FileHostError): string | undefined {
  if (cause instanceof AuthenticationError) return 'the service does not accept the key'
  if (cause instanceof AccessDeniedError) return 'the service does not admit this account or address'
  if (cause instanceof UnavailableError) return 'the service is switched off'
  return undefined
}

/** The list does not show the file. A success that the service does not write is no answer to an upload. */
export function finalOutcome({ request, status, cause }: UnknownOutcomeError): unknown {
  if (status === undefined || !isSuccess({ status })) return cause
  const said = cause instanceof Error ? cause.message : 'the upload was answered with another success'
  return new UnexpectedResponseError(`${said}. That is no answer to an upload: the other side is not the service`, {
    request,
    status,
    excerpt: cause instanceof UnexpectedResponseError ? cause.excerpt : '',
    hint: 'Check the base URL: is it the address of the service itself? The file was not sent again',
    cause,
  })
}

/** The list proves that the upload was not stored, but its source cannot be sent again. */
export function spentOutcome({ request, cause }: UnknownOutcomeError, name: string): SourceError {
  return new SourceError('spent', `${name} was not stored, and it is a stream that can only be sent once`, {
    request,
    hint: 'Give a path, a Blob or a Buffer to have it sent again after a failure',
    cause,
  })
}

function detailsOf({ request, status, serviceMessage, attempts, failures }: UnknownOutcomeError, intent: UploadIntent) {
  return { request, status, serviceMessage, intent, tried: { attempts, failures } }
}
