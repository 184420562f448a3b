import type { Clock, Upload } from '../../../../index.ts'
import { creationSpan } from '../../../../internal.ts'
import type { FleetContents, StoredContent } from '../../../journal/fleet-contents.ts'
import type { FleetEntry } from '../../../journal/fleet-facts.ts'
import type { Journal } from '../../../journal/journal.ts'
import { type Content, FRESH_MS } from '../../../journal/known-uploads.ts'

/** fh says nothing of shorter waits. */
const WORTH_SAYING_MS = 1_000

/**
 * What other runners of the key have uploaded. What they know goes to the journal of this machine, where it counts like
 * what this machine has seen. While Redis does not answer, nothing is known.
 * @param onSettling called once, before the first long wait for other runners
 */
export function createSharedContents(
  fleet: FleetContents,
  journal: Journal,
  clock: Clock,
  onSettling: (ms: number) => void,
) {
  let hasSaidSettling = false
  /** What the fleet said of each content. */
  const told = new Map<string, FleetEntry & { readonly isFresh: boolean }>()

  /** Takes an answer of the fleet over. */
  function take(content: Content, entry: FleetEntry): void {
    const { name, mimeType, upload } = entry
    const ageMs = Math.max((fleet.memory()?.now ?? entry.at) - entry.at, 0)
    const isFresh = ageMs <= FRESH_MS
    told.set(content.sha256, { ...entry, isFresh })
    const seenAt = clock.now() - ageMs
    const known = journal.known(content).find(({ slug }) => slug === upload.slug)
    const learn = (at: number) => {
      const type = mimeType === undefined ? {} : { mime_type: mimeType }
      journal.learn({ type: 'found', path: `-${name}`, ...content, ...type, at, upload })
    }
    if (known === undefined) learn(creationSpan(upload)?.from ?? seenAt)
    if (isFresh && known?.upload === undefined) learn(seenAt)
  }

  /** The service has just shown or stored this. @param claim the one that has stored it */
  function confirm(stored: StoredContent, claim?: string): void {
    const known = told.get(stored.content.sha256)
    const mimeType = stored.mimeType ?? (known?.upload.slug === stored.upload.slug ? known.mimeType : undefined)
    fleet.confirm({ ...stored, mimeType }, claim)
  }

  return {
    fleet,
    take,
    confirm,
    /** The fleet's record begins again: nothing can be claimed for so long. */
    settling(ms: number) {
      if (ms >= WORTH_SAYING_MS && !hasSaidSettling) onSettling(ms)
      hasSaidSettling ||= ms >= WORTH_SAYING_MS
    },
    /** Asks what the fleet has of these contents. */
    async learn(contents: readonly Content[]) {
      const entries = await fleet.look(contents)
      for (const content of contents) {
        const entry = entries.get(content.sha256)
        if (entry) take(content, entry)
      }
    },
    /** The contents of these uploads, by slug, as far as the fleet knows them. */
    async owners(uploads: readonly Upload[]): Promise<ReadonlyMap<string, string>> {
      const entries = await fleet.owners(uploads.map(({ slug }) => slug))
      for (const entry of entries.values()) take({ size: entry.upload.size, sha256: entry.sha256 }, entry)
      return new Map([...entries].map(([slug, { sha256 }]) => [slug, sha256]))
    },
    /** Tells the fleet what the journal knows to be stored, unless the fleet has said so itself just now. */
    confirmKnown(contents: readonly Content[]) {
      for (const content of contents) {
        const known = journal.known(content).find(({ upload }) => upload !== undefined)
        const said = told.get(content.sha256)
        if (known?.upload === undefined || (said?.isFresh && said.upload.slug === known.slug)) continue
        confirm({ content, name: known.name, upload: known.upload })
      }
    },
  }
}

export type SharedContents = ReturnType<typeof createSharedContents>
