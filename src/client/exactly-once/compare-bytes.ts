import { createHash } from 'node:crypto'
import { essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import { FileHostError } from '../errors.ts'
import { announcedSize, callSite, type FileRequestOptions, foreignEncoding } from '../site/file-request.ts'
import { type PreparedSource, prepareSource, type UploadSource } from '../sources/upload-source.ts'
import type { TransportResponse } from '../transports/transport.ts'
import type { AccountUploads } from './account-uploads.ts'
import type { Reconciliation, UploadIntent } from './candidates.ts'

/** What is kept of a file, so that a stored file can be compared with it. */
export interface Fingerprint {
  /** In bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
  /** The first byte: the one that is never asked for. */
  readonly first: Uint8Array
}

/** @returns undefined where the bytes cannot be read, or are not those that were sent: then they prove nothing */
export type ReadFingerprint = (signal: AbortSignal) => Promise<Fingerprint | undefined>

/** Of a source as it is now, if that is what was sent. */
export function fingerprintOf(
  source: UploadSource | undefined,
  isSent: (found: Fingerprint) => boolean,
): ReadFingerprint {
  if (source === undefined) return async () => undefined
  return once(async (signal) => {
    const prepared = await prepareSource(source, { maxFileSizeBytes: Number.POSITIVE_INFINITY, anyType: true, signal })
    try {
      const fingerprint = await readFingerprint(prepared, signal)
      return isSent(fingerprint) ? fingerprint : undefined
    } finally {
      prepared.close()
    }
  })
}

/** Of a file on the disk. @param sha256 of the bytes that were sent, in hex; empty if it is not known */
export function fingerprintOfFile(path: string | undefined, sha256: string): ReadFingerprint {
  return fingerprintOf(sha256 === '' ? undefined : path, (found) => found.sha256 === sha256)
}

/** The fingerprint of what an upload sends. What cannot be read again without a request is hashed while it is sent. */
export class SentFingerprint {
  readonly read: ReadFingerprint
  readonly #isAtHand: boolean
  #counted: Counted | undefined

  constructor(source: PreparedSource) {
    this.#isAtHand = source.again === 'at hand'
    this.read = this.#isAtHand
      ? once((signal) => readFingerprint(source, signal))
      : async () => this.#counted?.fingerprint()
  }

  /** An attempt begins. */
  restart(): void {
    this.#counted = this.#isAtHand ? undefined : new Counted()
  }

  sent(bytes: Uint8Array): void {
    this.#counted?.take(bytes)
  }
}

/** Bytes that came so far. */
class Counted {
  readonly #hash = createHash('sha256')
  #size = 0
  #first = new Uint8Array()

  take(bytes: Uint8Array): void {
    if (this.#size === 0) this.#first = new Uint8Array(bytes.subarray(0, 1))
    this.#size += bytes.length
    this.#hash.update(bytes)
  }

  fingerprint(): Fingerprint {
    return { size: this.#size, sha256: this.#hash.copy().digest('hex'), first: this.#first }
  }
}

/** A file that was read is not read again. */
function once(read: ReadFingerprint): ReadFingerprint {
  let fingerprint: Fingerprint | undefined
  return async (signal) => {
    try {
      fingerprint ??= await read(signal)
      return fingerprint
    } catch (error) {
      if (error instanceof FileHostError) return undefined
      throw error
    }
  }
}

/** @throws SourceError if it cannot be read, or is changed meanwhile; `signal.reason` when aborted */
async function readFingerprint(source: Pick<PreparedSource, 'read'>, signal: AbortSignal): Promise<Fingerprint> {
  const counted = new Counted()
  for await (const chunk of source.read()) {
    signal.throwIfAborted()
    counted.take(chunk)
  }
  return counted.fingerprint()
}

/** An upload that the list leaves open. */
export interface OpenQuestion {
  readonly intent: UploadIntent
  /** Uploads in the list that may be it: at least one. */
  readonly candidates: readonly Upload[]
  /** Reads what was sent. */
  readonly fingerprint: ReadFingerprint
}

/**
 * Decides between ambiguous matches.
 * @returns in the order of the questions; undefined where the list does not tell yet: it is read again 5 s later, for a
 * minute at most
 */
export type TellApart = (questions: readonly OpenQuestion[]) => Promise<readonly (Reconciliation | undefined)[]>

/** An upload that the list was asked about, and the file that was sent. */
export interface SentFile {
  readonly fingerprint: ReadFingerprint
  /** By the file's first bytes. */
  readonly mimeType: string
  /** What the list told. */
  readonly outcome: Reconciliation
}

/** What asks a site for files. */
export type SiteAccess = Omit<FileRequestOptions, 'signal' | 'maxWaitMs'>

/** Whether a stored file has the same bytes as the one that was sent. */
export type Likeness = 'same' | 'different' | 'unknown'

/**
 * Compares files that were sent with uploads by their bytes on the site. Raw files are read from their second byte on, because
 * the site counts a request for the first one as a view. What was read is kept: several files may be compared with one upload.
 */
export class ByteComparison {
  readonly #site: SiteAccess
  /**
   * By slug, the SHA-256 of files that a site gave whole, because it ignores ranges; undefined where its answer proves
   * nothing. Each such answer may count as a view, so that none is asked for twice.
   */
  readonly #wholes = new Map<string, string | undefined>()
  readonly #digests = new Map<string, string>()

  constructor(site: SiteAccess) {
    this.#site = site
  }

  /** Compares files with their candidates, of the same type alone. @returns in the order given. @throws `signal.reason` */
  async compareAll(files: readonly SentFile[], signal: AbortSignal): Promise<readonly ComparedFile[]> {
    const compared: ComparedFile[] = []
    for (const { fingerprint, mimeType, outcome } of files) {
      const isType = ({ mime_type }: Upload) => essence(mime_type) === essence(mimeType)
      const likeness = await this.compare(fingerprint, candidatesOf(outcome), signal, isType)
      compared.push({ mimeType, outcome, likeness })
    }
    return compared
  }

  /**
   * Compares a file with uploads.
   * @param mayBe which of them to compare. Default: those of its size, of any type
   * @returns in the order of the uploads. @throws `signal.reason`
   */
  async compare(
    fingerprint: ReadFingerprint,
    uploads: readonly Upload[],
    signal: AbortSignal,
    mayBe: (upload: Upload) => boolean = () => true,
  ): Promise<readonly Likeness[]> {
    const sent = uploads.length === 0 ? undefined : await fingerprint(signal)
    const likeness: Likeness[] = []
    for (const upload of uploads) {
      const isComparable = sent?.size === upload.size && mayBe(upload)
      const sha256 = isComparable ? await this.#digest(upload, sent.first, signal) : undefined
      likeness.push(sha256 === undefined ? 'unknown' : sha256 === sent?.sha256 ? 'same' : 'different')
    }
    return likeness
  }

  /**
   * The SHA-256, in hex, of the file with this first byte.
   * @returns undefined where the site does not give its bytes. @throws `signal.reason` when aborted
   */
  async #digest(
    { direct_url: url, size, slug }: Upload,
    first: Uint8Array,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const key = `${slug} ${first}`
    if (this.#wholes.has(slug) || this.#digests.has(key)) return this.#wholes.get(slug) ?? this.#digests.get(key)
    // A file of one byte has nothing but its first.
    if (size < 2 || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return undefined
    try {
      // The run does not wait for a site that is busy: the outcome stays unknown until the next run.
      const options = { ...this.#site, signal, maxWaitMs: 0 }
      return await callSite<string | undefined>(url, options, {
        send: async (get) => {
          const unwanted = new AbortController()
          const answer = await get({ range: `bytes=1-${size - 1}` }, unwanted.signal)
          const sha256 = await digestOfFile(answer, size, first)
          // No more of another answer is read, not even a first chunk that may come late.
          if (sha256 === undefined) unwanted.abort()
          if (answer.status === 200) this.#wholes.set(slug, sha256)
          else if (sha256 !== undefined) this.#digests.set(key, sha256)
          return { answer, value: sha256 }
        },
      })
    } catch (error) {
      if (error instanceof FileHostError) return undefined
      throw error
    }
  }
}

export interface ComparedFile extends Omit<SentFile, 'fingerprint'> {
  /** In the order of the candidates; empty where the list left nothing open. */
  readonly likeness: readonly Likeness[]
}

/** What is known of the account's uploads. */
export interface BytesContext {
  /** Whether an upload is known to be another file's. Default: none is. */
  isTaken?(slug: string): boolean
  /** Whether the service has shown that it stores files of this type as they were sent. */
  keeps(mimeType: string): boolean
}

/**
 * Decides what the list left open. A candidate with the bytes of a file is its upload; of several, each file of that
 * content takes one. A file is not stored if all its candidates are proven to be others. Different bytes prove that only
 * where the service keeps files as they are sent: another one may have changed the file.
 */
export function decideByBytes(
  files: readonly ComparedFile[],
  { isTaken = () => false, keeps }: BytesContext,
): readonly Reconciliation[] {
  const same = ({ outcome, likeness }: ComparedFile) =>
    candidatesOf(outcome).filter((_, index) => likeness[index] === 'same')
  const keptTypes = new Set(files.flatMap((file) => (same(file).length > 0 ? [file.mimeType] : [])))
  const found = new Map<ComparedFile, Upload>()
  const others = new Set<string>()
  const isFree = ({ slug }: Upload) => !others.has(slug) && !isTaken(slug)
  // A file with few candidates would find them taken by one that has others as well.
  for (const file of files.toSorted((one, other) => same(one).length - same(other).length)) {
    const upload = same(file).find(isFree)
    if (upload === undefined) continue
    found.set(file, upload)
    others.add(upload.slug)
  }
  return files.map((file) => {
    const { outcome, likeness, mimeType } = file
    // Without candidates nothing is known of the list.
    if (outcome.type !== 'ambiguous' || outcome.candidates.length === 0) return outcome
    const upload = found.get(file)
    if (upload) return { type: 'stored', upload }
    const isKept = keptTypes.has(mimeType) || keeps(mimeType)
    const candidates = outcome.candidates.filter(
      (upload, index) => isFree(upload) && !(isKept && likeness[index] === 'different'),
    )
    return candidates.length === 0 ? { type: 'not-stored' } : { type: 'ambiguous', candidates }
  })
}

/** The uploads that an open outcome may be. */
export function candidatesOf(outcome: Reconciliation): readonly Upload[] {
  return outcome.type === 'ambiguous' ? outcome.candidates : []
}

/** How the client tells matches apart by the bytes on the site, unless its caller does. */
export function compareBytes(
  site: SiteAccess,
  account: AccountUploads,
): (signal: AbortSignal | undefined) => TellApart {
  const comparison = new ByteComparison(site)
  const isTaken = (slug: string) => account.isOurs(slug)
  const keeps = (mimeType: string) => account.treatmentOf(mimeType) === 'keeps'
  return (signal = new AbortController().signal) =>
    async (questions) => {
      const files = questions.map(({ intent: { mimeType }, candidates, fingerprint }) => {
        return { fingerprint, mimeType, outcome: { type: 'ambiguous', candidates } as const }
      })
      const compared = await comparison.compareAll(files, signal)
      // One of them may be answered with what looks like one of these: then the list is read again.
      if (account.awaitsAnswer(files.map(({ mimeType }) => mimeType))) return questions.map(() => undefined)
      const outcomes = decideByBytes(compared, { isTaken, keeps })
      // At once, so that no other search decides for the same upload.
      account.adopted(outcomes)
      return outcomes
    }
}

/**
 * The SHA-256 of a whole file by the answer to a request for all but its first byte.
 * @returns undefined where the answer has other bytes than were asked for
 */
async function digestOfFile(answer: TransportResponse, size: number, first: Uint8Array): Promise<string | undefined> {
  const { status, headers } = answer
  const isPlain = foreignEncoding(answer) === undefined
  const isPage = /html/i.test(headers['content-type'] ?? '')
  // A page of something in between never proves what is stored.
  const isWhole = status === 200 && !isPage && (announcedSize(answer) ?? size) === size
  if (isWhole && isPlain) return await digestOf(answer, size)
  const isRest = status === 206 && headers['content-range'] === `bytes 1-${size - 1}/${size}`
  return isRest && isPlain ? await digestOf(answer, size - 1, first) : undefined
}

/** @returns undefined for a body of another length, of which no more is read */
async function digestOf({ body }: TransportResponse, wanted: number, first: Uint8Array = new Uint8Array()) {
  const hash = createHash('sha256').update(first)
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > wanted) return undefined
    hash.update(chunk)
  }
  return bytes === wanted ? hash.digest('hex') : undefined
}
