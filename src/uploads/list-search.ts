import { likelyUploads } from '../client/call-errors.ts'
import { eachPage } from '../client/each-page.ts'
import { UnknownOutcomeError } from '../client/errors.ts'
import { creationSpan } from '../client/exactly-once/candidates.ts'
import { fingerprintOfFile } from '../client/exactly-once/compare-bytes.ts'
import type { Upload } from '../index.ts'
import type { MatchResolver } from './match-resolver.ts'
import type { KnownFile, UploadRun } from './upload-run.ts'

const DAY_MS = 86_400_000
/** Of the list; each costs a unit. */
const MOST_PAGES = 20

interface ListSearchTools extends UploadRun {
  readonly matches: Pick<MatchResolver, 'compare'>
}

/** Looks for contents in the list of uploads, where what runners of the key know may lack them. */
export class ListSearch {
  readonly #tools: ListSearchTools
  readonly #seen = new Map<string, Upload>()
  #reading: Promise<void> | undefined

  constructor(tools: ListSearchTools) {
    this.#tools = tools
  }

  /**
   * @returns whether the list shows an upload with the file's bytes, of which the store knows now
   * @throws FileHostError if the list cannot be read, UnknownOutcomeError if an upload of this size cannot be compared
   */
  async find({ label, path, content }: KnownFile, signal: AbortSignal): Promise<boolean> {
    const { store, matches } = this.#tools
    const doubtedMs = store.doubtedMs()
    if (doubtedMs === undefined) return false
    // Files that are started together are served by one reading.
    this.#reading ??= this.#read(doubtedMs + DAY_MS)
    await this.#reading
    const alike = [...this.#seen.values()].filter(({ size }) => size === content.size)
    const owners = await store.owners(alike.map(({ slug }) => slug))
    // A run whose machine knows the content may have told of it since it was claimed here.
    if (alike.some(({ slug }) => owners.get(slug) === content.sha256)) return true
    const left = alike.filter(({ slug }) => !owners.has(slug))
    if (left.length === 0) return false
    const likeness = await matches.compare(fingerprintOfFile(label, content.sha256), left, signal)
    const upload = left[likeness.indexOf('same')]
    const unclear = left.filter((_, index) => likeness[index] === 'unknown')
    if (upload === undefined && unclear.length > 0) throw notCompared(unclear)
    if (upload) await store.seen({ content, path, upload })
    return upload !== undefined
  }

  /** Reads pages until one with an upload so much older than the newest: this clock may be wrong. */
  async #read(backMs: number): Promise<void> {
    const { client, context } = this.#tools
    let [pages, backTo] = [0, 0]
    for await (const data of eachPage((page) => client.list({ page, signal: context.interruption.stopping }))) {
      pages += 1
      for (const upload of data) this.#seen.set(upload.slug, upload)
      const spans = data.flatMap((upload) => creationSpan(upload) ?? [])
      if (pages === 1) backTo = (spans[0]?.from ?? 0) - backMs
      if (pages === MOST_PAGES || spans.some(({ to }) => to < backTo)) return
    }
  }
}

function notCompared(uploads: readonly Upload[]): UnknownOutcomeError {
  const message = `Another runner may have uploaded it. ${likelyUploads(uploads)}, which cannot be compared`
  return new UnknownOutcomeError(message, { candidates: uploads })
}
