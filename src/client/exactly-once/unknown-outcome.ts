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
import type { PreparedSource } from '../sources/upload-source.ts'
import type { UploadIntent } from './upload-intent.ts'

/** The list shows uploads that may be the one in question. */
export function ambiguousOutcome(
  unknown: UnknownOutcomeError,
  intent: UploadIntent,
  candidates: readonly Upload[],
): UnknownOutcomeError {
  const slugs = candidates.map(({ slug }) => slug).join(', ')
  const which = candidates.length === 1 ? 'but nothing proves that it is this file' : 'and nothing tells them apart'
  return new UnknownOutcomeError(`${unknown.message}. The list has ${slugs} of that time, ${which}`, {
    ...detailsOf(unknown, intent),
    candidates,
    cause: unknown.cause,
    hint: `Compare it with ${candidates.map(({ url }) => url).join(', ')}; upload it again only if it is not there`,
  })
}

/** The list cannot be read. */
export function unreadableOutcome(
  unknown: UnknownOutcomeError,
  intent: UploadIntent,
  cause: FileHostError,
): UnknownOutcomeError {
  const why = refusalInWords(cause)
  const because = why === undefined ? `: ${cause.message}` : `, because ${why} (${cause.message})`
  return new UnknownOutcomeError(`${unknown.message}. The list, which would tell, cannot be read${because}`, {
    ...detailsOf(unknown, intent),
    cause,
    hint: 'Look at the list before uploading it again',
  })
}

function refusalInWords(cause: FileHostError): string | undefined {
  if (cause instanceof AuthenticationError) return 'the service does not accept the key'
  if (cause instanceof AccessDeniedError) return 'the service does not admit this account or address'
  if (cause instanceof UnavailableError) return 'the service is switched off'
  return undefined
}

/**
 * The other side answers uploads with a success that is not the service's, and the list does not show the file: it would
 * answer the next upload in the same way.
 */
export function notTheServiceOutcome({ request, status, cause }: UnknownOutcomeError): UnexpectedResponseError {
  const said = cause instanceof Error ? cause.message : 'the upload was answered with another success'
  return new UnexpectedResponseError(`${said}. That is no answer to an upload: the other side is not the service`, {
    request,
    status,
    excerpt: cause instanceof UnexpectedResponseError ? cause.excerpt : '',
    hint: 'Check the base URL: is it the address of the service itself? The file was not sent again',
    cause,
  })
}

/** The list proves that the upload was not stored, and it is not sent again. */
export function notStored(unknown: UnknownOutcomeError, { name, replayable }: PreparedSource): unknown {
  if (replayable) return unknown.cause
  return new SourceError('spent', `${name} was not stored, and it is a stream that can only be sent once`, {
    request: unknown.request,
    hint: 'Give a path, a Blob or a Buffer to have it sent again after a failure',
    cause: unknown.cause,
  })
}

function detailsOf({ request, status, serviceMessage, attempts, failures }: UnknownOutcomeError, intent: UploadIntent) {
  return { request, status, serviceMessage, intent, tried: { attempts, failures } }
}
