import { UnknownOutcomeError, type Upload } from '../../index.ts'
import { creationSpan, eachPage, type Lookalikes, likelyUploads, printOfFile } from '../../internal.ts'
import type { KnownFile, UploadRun } from '../../uploads/upload-run.ts'
import type { FleetContents } from './fleet-contents.ts'

const DAY_MS = 86_400_000
/** Of the list; each costs a unit. */
const MOST_PAGES = 20

export interface ListLookTools extends UploadRun {
  readonly fleet: Pick<FleetContents, 'memory'>
  /** The hashes of what the fleet knows, by slug. */
  readonly owners: (uploads: readonly Upload[]) => Promise<ReadonlyMap<string, string>>
}

/** Looks for contents in the list of uploads, because the fleet's record may lack them. */
export function createListLook({ client, store, fleet, owners, context }: ListLookTools) {
  const { interruption } = context
  const seen = new Map<string, Upload>()
  let lookedFor: string | undefined
  let reading: Promise<void> | undefined

  /** Reads pages until one with what is known, or with an upload so much older than the newest: this clock may be wrong. */
  async function read(backMs: number): Promise<void> {
    let [pages, backTo] = [0, 0]
    for await (const data of eachPage((page) => client.list({ page, signal: interruption.stopping }))) {
      pages += 1
      const isKnown = data.some(({ slug }) => seen.has(slug))
      for (const upload of data) seen.set(upload.slug, upload)
      const spans = data.flatMap((upload) => creationSpan(upload) ?? [])
      if (pages === 1) backTo = (spans[0]?.from ?? 0) - backMs
      if (isKnown || pages === MOST_PAGES || spans.some(({ to }) => to < backTo)) return
    }
  }

  /** Files that are started together are served by one reading. */
  async function readOnce(backMs: number): Promise<void> {
    reading ??= read(backMs)
      .catch((error) => {
        // What lies between would never be read.
        seen.clear()
        throw error
      })
      .finally(() => {
        reading = undefined
      })
    await reading
  }

  /** @returns whether the fleet's record may lack uploads */
  async function update(isAlone: boolean): Promise<boolean> {
    const memory = fleet.memory()
    const doubtedMs = memory && memory.now - Math.max(memory.since, memory.alone)
    if (isAlone) {
      await readOnce((doubtedMs ?? 0) + DAY_MS)
      return true
    }
    if (memory === undefined || doubtedMs === undefined || doubtedMs > DAY_MS) return false
    const name = `${memory.epoch} ${memory.alone}`
    if (name === lookedFor) return true
    await readOnce(doubtedMs + DAY_MS)
    lookedFor = name
    return true
  }

  /**
   * @param isAlone whether this runner is cut off from the fleet
   * @returns whether the list shows an upload with the file's bytes, of which the journal knows now
   * @throws FileHostError if the list cannot be read, UnknownOutcomeError if an upload of this size cannot be compared
   */
  return async (
    { label, path, content }: KnownFile,
    isAlone: boolean,
    { lookalikes }: { readonly lookalikes: Pick<Lookalikes, 'compare'> },
    signal: AbortSignal,
  ): Promise<boolean> => {
    if (!(await update(isAlone))) return false
    const alike = [...seen.values()].filter(({ size }) => size === content.size)
    const known = await store.owners(alike.map(({ slug }) => slug))
    const sameSize = alike.filter(({ slug }) => !known.has(slug))
    if (sameSize.length === 0) return false
    const told = await owners(sameSize)
    const left = sameSize.filter(({ slug }) => (told.get(slug) ?? content.sha256) === content.sha256)
    const likeness = await lookalikes.compare(printOfFile(label, content.sha256), left, signal)
    const upload = left[likeness.indexOf('same')]
    const unclear = left.filter((_, index) => likeness[index] === 'unknown')
    if (upload === undefined && unclear.length > 0) throw notCompared(unclear)
    if (upload) await store.seen({ content, path, upload })
    return upload !== undefined
  }
}

function notCompared(uploads: readonly Upload[]): UnknownOutcomeError {
  const message = `Another runner may have uploaded it. ${likelyUploads(uploads)}, which cannot be compared`
  return new UnknownOutcomeError(message, { candidates: uploads })
}
