import { essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import { orAborted } from '../../system/signals.ts'
import { createStoredFiles, type StoredFiles, type StoredFilesOptions } from '../calls/stored-file.ts'
import type { UploadRegistry } from './account-uploads.ts'
import { type FilePrint, type ReadPrint, samplesOf } from './file-print.ts'
import type { Reconciliation, UploadIntent } from './upload-intent.ts'

/** An upload that the list leaves open. */
export interface OpenQuestion {
  readonly intent: UploadIntent
  /** Uploads in the list that may be it: at least one. */
  readonly candidates: readonly Upload[]
  /** Reads what was sent. */
  readonly print: ReadPrint
}

/**
 * Decides between uploads that look alike in the list.
 * @returns in the order of the questions; undefined where the list does not tell yet: it is read again 5 s later, for a
 * minute at most
 */
export type TellApart = (questions: readonly OpenQuestion[]) => Promise<readonly (Reconciliation | undefined)[]>

/** An upload that the list was asked about, and the file that was sent. */
export interface SentFile {
  readonly print: ReadPrint
  /** By the file's first bytes. */
  readonly mimeType: string
  /** What the list told. */
  readonly outcome: Reconciliation
}

export interface LookalikeOptions extends StoredFilesOptions {
  /** Whether the service has shown that it stores files of this type as they were sent. */
  readonly keeps: (mimeType: string) => boolean
  /** Whether an upload is known to be another file's. Default: those that were found here. */
  readonly isTaken?: (slug: string) => boolean
}

type Concluded = readonly Reconciliation[] | undefined
export function createLookalikes(options: LookalikeOptions) {
  const stored = createStoredFiles(options)
  /** Uploads that were found: each is one file's only. */
  const found = new Set<string>()
  const taken = { has: (slug: string) => found.has(slug) || options.isTaken?.(slug) === true }
  return {
    /**
     * @param conclude called with the outcomes; what it returns counts. Where it returns undefined, nothing is concluded, so
     * that the same files may be asked about again. Where it waits, it must make sure that no other run takes an upload
     * @returns the outcomes, in the order given; those that the list left open, by content. @throws `signal.reason`
     */
    async tellApart(
      files: readonly SentFile[],
      signal: AbortSignal,
      conclude: (outcomes: readonly Reconciliation[]) => Concluded | Promise<Concluded> = (outcomes) => outcomes,
    ): Promise<Concluded> {
      const compared: ComparedFile[] = []
      for (const file of files) compared.push(await compareFile(file, stored, signal))
      const outcomes = await conclude(decideByContent(compared, { taken, keeps: options.keeps }))
      for (const outcome of outcomes ?? []) if (outcome.type === 'stored') found.add(outcome.upload.slug)
      return outcomes
    },
    /**
     * Compares a file with uploads of any type.
     * @returns in the order of the uploads. @throws `signal.reason`
     */
    async compare(readPrint: ReadPrint, uploads: readonly Upload[], signal: AbortSignal): Promise<readonly Likeness[]> {
      const print = uploads.length === 0 ? undefined : await readPrint(signal)
      const likeness: Likeness[] = []
      for (const upload of uploads) {
        likeness.push(print?.size === upload.size ? await compare(print, upload, stored, signal) : 'unknown')
      }
      return likeness
    },
  }
}

/** Tells uploads that look alike in the list apart by their bytes on the site. */
export type Lookalikes = ReturnType<typeof createLookalikes>

/** Opens nothing before there is something to compare. */
export function createCompareBytes(site: StoredFilesOptions, registry: UploadRegistry) {
  let made: Lookalikes | undefined
  return (signal: AbortSignal = new AbortController().signal): TellApart =>
    async (questions) => {
      const keeps = (mimeType: string) => registry.treatmentOf(mimeType) === 'keeps'
      made ??= createLookalikes({ ...site, keeps, isTaken: registry.isOurs })
      const files = questions.map(({ intent: { mimeType }, candidates, print }) => ({
        print,
        mimeType,
        outcome: { type: 'ambiguous', candidates } as const,
      }))
      /** Another upload of the same bytes may be answered with what looks like this one's. */
      const conclude = (outcomes: readonly Reconciliation[]) => {
        const stored = outcomes.flatMap((outcome) => (outcome.type === 'stored' ? outcome.upload : []))
        if (stored.some(registry.mayBeAnswered)) return undefined
        for (const upload of stored) registry.adopted(upload)
        return outcomes
      }
      for (;;) {
        const outcomes = await made.tellApart(files, signal, conclude)
        if (outcomes) return outcomes
        await orAborted(registry.nextEnd(), signal)
      }
    }
}

/** Compares what was sent with the bytes on the site. */
export type CompareBytes = ReturnType<typeof createCompareBytes>

/** Whether a stored file has the same bytes as the one that was sent. */
export type Likeness = 'same' | 'different' | 'unknown'

export interface ComparedFile {
  readonly mimeType: string
  /** What the list told. */
  readonly outcome: Reconciliation
  /** In the order of the candidates; empty where the list left nothing open. */
  readonly likeness: readonly Likeness[]
}

export interface ContentFacts {
  /** Slugs of other uploads. */
  readonly taken: Pick<ReadonlySet<string>, 'has'>
  keeps(mimeType: string): boolean
}

/**
 * Decides what the list left open. A candidate with the bytes of a file is its upload; of several, each file of that
 * content takes one. A file is not stored if all its candidates are proven to be others. Different bytes prove that only
 * where the service keeps files as they are sent: another one may have changed the file.
 */
export function decideByContent(
  files: readonly ComparedFile[],
  { taken, keeps }: ContentFacts,
): readonly Reconciliation[] {
  const same = ({ outcome, likeness }: ComparedFile) =>
    candidatesOf(outcome).filter((_, index) => likeness[index] === 'same')
  const keptTypes = new Set(files.flatMap((file) => (same(file).length > 0 ? [file.mimeType] : [])))
  const found = new Map<ComparedFile, Upload>()
  const others = new Set<string>()
  const isFree = ({ slug }: Upload) => !others.has(slug) && !taken.has(slug)
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

async function compareFile(
  { print: readPrint, mimeType, outcome }: SentFile,
  stored: StoredFiles,
  signal: AbortSignal,
): Promise<ComparedFile> {
  const candidates = candidatesOf(outcome)
  const print = candidates.length === 0 ? undefined : await readPrint(signal)
  const likeness: Likeness[] = []
  for (const upload of candidates) {
    const isAlike = upload.size === print?.size && essence(upload.mime_type) === essence(mimeType)
    likeness.push(print !== undefined && isAlike ? await compare(print, upload, stored, signal) : 'unknown')
  }
  return { mimeType, outcome, likeness }
}

/** Samples can only rule a large file out. */
async function compare(print: FilePrint, upload: Upload, stored: StoredFiles, signal: AbortSignal): Promise<Likeness> {
  for (const [index, span] of samplesOf(print.size).entries()) {
    const sample = print.samples[index]
    if (sample === undefined) break
    const part = await stored.part(upload, span, signal)
    // The site may have given the whole file instead.
    if (part === undefined) return likenessOf(print, stored.whole(upload))
    if (Buffer.compare(part, sample) !== 0) return 'different'
  }
  return likenessOf(print, await stored.digest(upload, print.first, signal))
}

function likenessOf(print: FilePrint, sha256: string | undefined): Likeness {
  if (sha256 === undefined) return 'unknown'
  return sha256 === print.sha256 ? 'same' : 'different'
}
