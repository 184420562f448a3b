import type { Reconciliation, Upload } from '../../index.ts'
import { creationSpan } from '../../internal.ts'
import type { OpenFleet } from '../../pacing/fleet/open-fleet.ts'
import { FRESH_MS } from '../../store/sqlite-uploads.ts'
import type { Content, OpenItem } from '../../store/upload-store.ts'
import type { UploadRun } from '../../uploads/upload-run.ts'
import type { FleetEntry, OpenEntry, Standing } from '../journal-items.ts'
import type { FleetClaim } from './fleet-claims.ts'
import { createFleetContents, type FleetContents, type StoredContent } from './fleet-contents.ts'
import { createListLook } from './list-look.ts'

/** fh says nothing of shorter waits. */
const WORTH_SAYING_MS = 1_000

/** The fleet's contents, as a run that uploads takes part in them. @param maxWaitMs how long Redis may be silent */
export function openSharedContents(home: OpenFleet, tools: UploadRun, maxWaitMs: number): SharedContents {
  const { clock, note, interruption } = tools.context
  const patience = {
    onSilent: (ms: number) => note({ type: 'runners-silent', ms }),
    onAlone: () => note({ type: 'runners-unknown' }),
    maxWaitMs,
    stopping: interruption.stopping,
  }
  return createSharedContents(createFleetContents(home, clock, patience), tools)
}

/**
 * What other runners of the key have uploaded. What they know goes to the store of this machine, where it counts like
 * what this machine has seen. While Redis does not answer, nothing is known.
 */
export function createSharedContents(fleet: FleetContents, run: UploadRun) {
  const { store } = run
  const { clock, note } = run.context
  let hasSaidSettling = false
  /** What the fleet said of each content. */
  const told = new Map<string, FleetEntry & { readonly isFresh: boolean }>()

  const ageOf = (at: number) => (fleet.memory()?.now ?? at) - at

  /** Takes an answer of the fleet over. */
  async function take(content: Content, entry: FleetEntry): Promise<void> {
    const { name, mimeType, upload } = entry
    const ageMs = Math.max(ageOf(entry.at), 0)
    const isFresh = ageMs <= FRESH_MS
    told.set(content.sha256, { ...entry, isFresh })
    const seenAt = clock.now() - ageMs
    const known = (await store.known(content)).find(({ slug }) => slug === upload.slug)
    if (known !== undefined && (known.upload !== undefined || !isFresh)) return
    const at = creationSpan(upload)?.from ?? seenAt
    await store.seen({ content, path: `-${name}`, mimeType, upload, at, seenAt })
  }

  /** The service has just shown or stored this. @param claim the one that has stored it */
  function confirm(stored: StoredContent, claim?: string): void {
    const known = told.get(stored.content.sha256)
    const mimeType = stored.mimeType ?? (known?.upload.slug === stored.upload.slug ? known.mimeType : undefined)
    fleet.confirm({ ...stored, mimeType }, claim)
  }

  /** Asks what the fleet has of these contents. */
  async function learn(contents: readonly Content[]): Promise<void> {
    const entries = await fleet.look(contents)
    for (const content of contents) {
      const entry = entries.get(content.sha256)
      if (entry) await take(content, entry)
    }
  }

  /** The contents of these uploads, by slug, as far as the fleet knows them. */
  async function owners(uploads: readonly Upload[]): Promise<ReadonlyMap<string, string>> {
    const entries = await fleet.owners(uploads.map(({ slug }) => slug))
    for (const entry of entries.values()) await take({ size: entry.upload.size, sha256: entry.sha256 }, entry)
    return new Map([...entries].map(([slug, { sha256 }]) => [slug, sha256]))
  }

  return {
    fleet,
    confirm,
    learn,
    owners,
    /** How a claim stands among those of all runners. What the answer tells of others goes to the store, or to them. */
    async standing(claim: FleetClaim, content: Content): Promise<Standing> {
      const answer = await claim.standing()
      if (answer.type === 'stored') await (answer.entry ? take(content, answer.entry) : learn([content]))
      // The lease need not run out where this machine knows better.
      const holder = answer.type === 'waits' ? answer.holder : undefined
      if (holder && (await store.isOver(holder.id ?? ''))) fleet.giveUp(holder)
      if (answer.type === 'settling' && answer.waitMs >= WORTH_SAYING_MS && !hasSaidSettling) {
        hasSaidSettling = true
        note({ type: 'runners-tell', ms: answer.waitMs })
      }
      return answer
    },
    /**
     * Finds out what became of an upload of a runner that is gone, like of one of a run of this machine, and tells all.
     * @param path of a file with its content, in the store
     */
    async inherit(
      { intent, endedAt }: OpenEntry,
      path: string,
      settle: (item: OpenItem) => Promise<Reconciliation>,
    ): Promise<void> {
      const { id, size, sha256, mime_type: mimeType, service_from: from, service_to: to } = intent
      const [ageMs, now] = [ageOf(intent.at), clock.monotonic?.()]
      const attempt = {
        size,
        mimeType,
        startedAt: clock.now() - ageMs,
        ...(now !== undefined && { monotonic: now - ageMs }),
        ...(from !== undefined && to !== undefined && { serviceStartedAt: { from, to } }),
      }
      const outcome = await settle({ id, path, size, sha256, attempt, endedAt: null })
      if (outcome.type === 'stored')
        await store.seen({ content: { size, sha256 }, path, mimeType, upload: outcome.upload })
      fleet.settle({ intent, endedAt }, outcome)
    },
    /** The upload of a file in the list, because the fleet's record may lack it. */
    find: createListLook({ ...run, fleet, owners }),
    /** Tells the fleet what the store knows to be stored, unless the fleet has said so itself just now. */
    async confirmKnown(contents: readonly Content[]) {
      for (const content of contents) {
        const known = (await store.known(content)).find(({ upload }) => upload !== undefined)
        const said = told.get(content.sha256)
        if (known?.upload === undefined || (said?.isFresh && said.upload.slug === known.slug)) continue
        confirm({ content, name: known.name, upload: known.upload })
      }
    },
  }
}

export type SharedContents = ReturnType<typeof createSharedContents>
