import type { Upload } from '../../protocol/resources.ts'
import {
  AccessDeniedError,
  AuthenticationError,
  FileHostError,
  SourceError,
  UnavailableError,
  UnexpectedResponseError,
  UnknownOutcomeError,
} from '../errors.ts'
import { isSuccess } from '../exchange.ts'
import type { UploadOptions } from '../options.ts'
import type { PreparedSource } from '../sources/upload-source.ts'
import type { ReadPrint } from './file-print.ts'
import type { TellApart } from './lookalikes.ts'
import type { Reconcile } from './reconcile.ts'
import type { UploadAttempts } from './upload-attempts.ts'
import type { UploadIntent } from './upload-intent.ts'

interface Search {
  readonly source: PreparedSource
  readonly attempts: UploadAttempts
  readonly reconcile: Reconcile
  readonly tellApart: TellApart
  readonly printOf: () => ReadPrint
  readonly options: Pick<UploadOptions, 'signal' | 'knownSlugs' | 'tellApart'>
  /** Whether the other side would answer another attempt in the same way. */
  readonly isFinal: boolean
  /**
   * Waits for uploads of this process that look the same: their answers tell whose an entry is, and whether the service
   * keeps such files as they are.
   * @returns whether there were any
   */
  readonly othersEnded: () => Promise<boolean>
}

/**
 * Looks in the list for an upload that may have been stored.
 *
 * @returns undefined if it was not stored and can be sent again
 * @throws UnknownOutcomeError if the list does not tell; if it was not stored, the error of an answer that is final, or
 * SourceError if the source can be sent only once
 */
export async function findInList(unknown: UnknownOutcomeError, search: Search): Promise<Upload | undefined> {
  const { source, attempts, reconcile, options, isFinal } = search
  const { signal, knownSlugs = [] } = options
  const uncertain = attempts.markUncertain()
  const { intent } = uncertain
  const wanted = { ...uncertain, intent: { ...intent, knownSlugs: [...knownSlugs, ...intent.knownSlugs] } }
  const selves = [attempts.uncertain]
  const isSaidStored = isSuccess({ status: unknown.status ?? 0 }) && !isFinal
  const tellApart = isSaidStored ? storedAtLeastOnce(search.tellApart) : search.tellApart
  const how = { selves, tellApart, printOf: search.printOf, ...(signal && { signal }) }
  const look = async () => {
    const [outcome] = await reconcile([wanted], how).catch((error) => {
      throw error instanceof FileHostError ? unreadableOutcome(unknown, intent, error) : error
    })
    return outcome
  }
  let outcome = await look()
  // A program with a log of its own may have others wait for this outcome.
  if (outcome?.type === 'ambiguous' && !options.tellApart && (await search.othersEnded())) outcome = await look()
  if (outcome?.type === 'ambiguous') throw ambiguousOutcome(unknown, intent, outcome.candidates)
  if (outcome?.type === 'stored') return outcome.upload
  if (isFinal) throw finalOutcome(unknown)
  if (!source.replayable) throw spentOutcome(unknown, source)
  return undefined
}

/** A success that cannot be read still says that the file is stored: other bytes in the list may be it, changed. */
function storedAtLeastOnce(tellApart: TellApart): TellApart {
  return async (questions) => {
    const told = await tellApart(questions)
    return told.map((outcome, index) =>
      outcome?.type === 'not-stored' ? { type: 'ambiguous', candidates: questions[index]?.candidates ?? [] } : outcome,
    )
  }
}

/** The list shows uploads that may be the one in question. */
function ambiguousOutcome(
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
function unreadableOutcome(
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
function finalOutcome({ request, status, cause }: UnknownOutcomeError): unknown {
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
function spentOutcome({ request, cause }: UnknownOutcomeError, { name }: PreparedSource): SourceError {
  return new SourceError('spent', `${name} was not stored, and it is a stream that can only be sent once`, {
    request,
    hint: 'Give a path, a Blob or a Buffer to have it sent again after a failure',
    cause,
  })
}

function detailsOf({ request, status, serviceMessage, attempts, failures }: UnknownOutcomeError, intent: UploadIntent) {
  return { request, status, serviceMessage, intent, tried: { attempts, failures } }
}
