import type { Clock, Upload } from '../../../../index.ts'
import { creationSpan } from '../../../../internal.ts'
import type { FleetContents, FleetEntry } from '../../../config/fleet.ts'
import type { Journal } from '../../../journal/journal.ts'
import { type Content, FRESH_MS } from '../../../journal/known-uploads.ts'
import { type DescribedUpload, describeUpload, parseDescription } from './fleet-descriptions.ts'

/** fh says nothing of shorter waits. */
const WORTH_SAYING_MS = 1_000

/** A stored upload and its content. */
export interface StoredContent extends DescribedUpload {
  readonly sha256: string
}

/**
 * What other runners of the key have uploaded. What they know goes to the journal of this machine, where it counts like
 * what this machine has seen. While Redis does not answer, nothing is known.
 */
export interface SharedContents {
  readonly fleet: FleetContents
  /** Asks what the fleet has of these contents. */
  learn(contents: readonly Content[]): Promise<void>
  /** Takes an answer of the fleet over. */
  take(content: Content, entry: FleetEntry): void
  /** The contents of these uploads, by slug, as far as the fleet knows them. */
  owners(uploads: readonly Upload[]): Promise<ReadonlyMap<string, string>>
  /** The service has just shown or stored this. */
  confirm(stored: StoredContent): void
  /** The fleet's record begins again: nothing can be claimed for so long. */
  settling(ms: number): void
  /** Tells the fleet what the journal knows to be stored, unless the fleet has said so itself just now. */
  confirmKnown(contents: readonly Content[]): void
}

/** @param onSettling called once, before the first long wait for other runners */
export function createSharedContents(
  fleet: FleetContents,
  journal: Journal,
  clock: Clock,
  onSettling: (ms: number) => void,
): SharedContents {
  let hasSaidSettling = false
  /** What the fleet said of each content. */
  const told = new Map<string, DescribedUpload & { readonly isFresh: boolean }>()

  function learnUpload({ size, sha256 }: Content, { name, mimeType, upload }: DescribedUpload, at: number): void {
    const file = { type: 'found', path: `-${name}`, size, sha256, at, upload } as const
    journal.learn({ ...file, ...(mimeType !== undefined && { mime_type: mimeType }) })
  }

  function take(content: Content, { slug, description, ageMs }: FleetEntry): void {
    const described = parseDescription(description)
    if (described?.upload.slug !== slug) return
    const isFresh = ageMs <= FRESH_MS
    told.set(content.sha256, { ...described, isFresh })
    const seenAt = clock.now() - ageMs
    const known = journal.known(content).find((one) => one.slug === slug)
    if (known === undefined) learnUpload(content, described, creationSpan(described.upload)?.from ?? seenAt)
    if (isFresh && known?.upload === undefined) learnUpload(content, described, seenAt)
  }

  function confirm({ sha256, ...described }: StoredContent): void {
    const known = told.get(sha256)
    const mimeType = described.mimeType ?? (known?.upload.slug === described.upload.slug ? known.mimeType : undefined)
    fleet.confirm([{ sha256, slug: described.upload.slug, description: describeUpload({ ...described, mimeType }) }])
  }

  return {
    fleet,
    take,
    confirm,
    settling(ms) {
      if (ms >= WORTH_SAYING_MS && !hasSaidSettling) onSettling(ms)
      hasSaidSettling ||= ms >= WORTH_SAYING_MS
    },
    async learn(contents) {
      const entries = await fleet.look(contents.map(({ sha256 }) => sha256))
      for (const content of contents) {
        const entry = entries.get(content.sha256)
        if (entry) take(content, entry)
      }
    },
    async owners(uploads) {
      const entries = await fleet.owners(uploads.map(({ slug }) => slug))
      return new Map(
        uploads.flatMap(({ slug }) => {
          const entry = entries.get(slug)
          const described = entry && parseDescription(entry.description)
          if (entry === undefined || described?.upload.slug !== slug) return []
          take({ size: described.upload.size, sha256: entry.sha256 }, entry)
          return [[slug, entry.sha256] as const]
        }),
      )
    },
    confirmKnown(contents) {
      for (const content of contents) {
        const known = journal.known(content).find(({ upload }) => upload !== undefined)
        const said = told.get(content.sha256)
        if (known?.upload === undefined || (said?.isFresh && said.upload.slug === known.slug)) continue
        confirm({ sha256: content.sha256, name: known.name, upload: known.upload })
      }
    },
  }
}
