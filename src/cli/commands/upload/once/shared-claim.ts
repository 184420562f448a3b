import type { Clock, Upload, UploadIntent } from '../../../../index.ts'
import type { FleetClaim } from '../../../journal/fleet-claims.ts'
import type { Claim, Journal } from '../../../journal/journal.ts'
import { nameOf, type OpenEntry, type Standing } from '../../../journal/journal-items.ts'
import type { KnownFile } from './known-content.ts'
import type { ListLook } from './list-look.ts'
import type { SharedContents } from './shared-contents.ts'

/** How a claim stands among those of this machine and of the fleet. */
type ClaimStanding =
  | Standing
  /** What other runners send is not known yet. Look again after this time. */
  | { readonly type: 'unknown'; readonly lookAgainMs: number }

/** A content that this run means to send, claimed among the runs of this machine and the runners of the fleet. */
export interface UploadClaim extends Omit<Claim, 'standing' | 'intend'> {
  standing(): ClaimStanding | Promise<ClaimStanding>
  /** @throws ClaimLostError where nothing may be sent before the content is claimed again */
  intend(intent: UploadIntent): void | Promise<void>
  /** Whether another runner may have the content by now: then no more bytes may leave. */
  isDoubtful?(): boolean
  /** Calls `then` once another runner has the content. @returns stops that */
  onLost?(then: () => void): () => void
}

/** Another runner may be sending this content. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError'
}

export interface SharedClaimTools {
  readonly journal: Journal
  readonly clock: Clock
  readonly shared: SharedContents
  readonly look: ListLook
  readonly signal: AbortSignal
}

export function createSharedClaim(claim: Claim, file: KnownFile, tools: SharedClaimTools): UploadClaim {
  const { journal, clock, shared, look, signal } = tools
  const { fleet } = shared
  const { content } = file
  let { sha256 } = content
  let mimeType: string | undefined
  let own: FleetClaim | undefined
  let isAlone = false
  /** When the list was read last, in epoch milliseconds. */
  let lookedAt: number | undefined
  let hasPaused = false
  let isIntended = false
  /** An upload of a holder that is gone, and its name in the journal. */
  let inherited: { readonly entry: OpenEntry; readonly id: string } | undefined

  /** It is this run's now: what others may have stored is looked for before anything is sent. */
  async function standingOfHolder(): Promise<ClaimStanding> {
    const isFound = isStored() || (lookedAt === undefined && (await look.find(file, isAlone, signal)) !== undefined)
    lookedAt ??= clock.now()
    if (!isFound && isAlone && !hasPaused) return pauseAlone()
    if (!isFound) return { type: 'first' }
    shared.confirmKnown([content])
    return { type: 'stored' }
  }

  /** Runners that are cut off and go through one folder miss the same file: each looks again at a moment of its own. */
  function pauseAlone(): ClaimStanding {
    hasPaused = true
    lookedAt = undefined
    return { type: 'unknown', lookAgainMs: Math.random() * APART_MS }
  }

  const isStored = () => journal.known(content).some(({ upload }) => upload !== undefined)

  /** What this run has found out of the upload of a holder that is gone holds for all. */
  function tellOutcome(): void {
    const outcome = inherited && journal.latest().outcomeOf(inherited.id)
    if (inherited === undefined || outcome === undefined) return
    fleet.settle(inherited.entry, outcome)
    inherited = undefined
  }

  /** The upload of a holder that is gone is looked for like one of a run of this machine. */
  function inherit(entry: OpenEntry): Standing {
    const ageMs = (fleet.memory()?.now ?? entry.intent.at) - entry.intent.at
    const now = clock.monotonic?.()
    if (inherited?.entry.intent.id !== entry.intent.id) {
      const { monotonic: _, ...intent } = entry.intent
      const id = journal.learn({
        ...intent,
        path: file.name,
        at: clock.now() - ageMs,
        ...(now !== undefined && { monotonic: now - ageMs }),
      })
      inherited = { entry, id }
    }
    const { id } = inherited
    const open = journal.unsettled().find(({ intent }) => intent.id === id)
    return open ? { type: 'open', entry: open } : { type: 'waits', lookAgainMs: LOOK_AGAIN_MS }
  }

  async function standingInFleet(): Promise<ClaimStanding> {
    own ??= fleet.claim(claim.id, nameOf(file.name), content)
    tellOutcome()
    const answer = await own.standing()
    switch (answer.type) {
      case 'stored':
        if (answer.entry) shared.take(content, answer.entry)
        else await shared.learn([content])
        return { type: 'stored' }
      case 'settling':
        shared.settling(answer.waitMs)
        return { type: 'unknown', lookAgainMs: answer.waitMs }
      case 'silent':
        return { type: 'unknown', lookAgainMs: LOOK_AGAIN_MS }
      case 'waits':
        // The lease need not run out where this machine knows better.
        if (answer.holder && journal.isOver(answer.holder.id ?? '')) fleet.giveUp(answer.holder)
        return { type: 'waits', lookAgainMs: LOOK_AGAIN_MS }
      case 'open':
        return inherit(answer.entry)
      case 'lost':
        throw new ClaimLostError()
      case 'alone':
        isAlone = true
        return await standingOfHolder()
      case 'first':
        return await standingOfHolder()
    }
  }

  /** The quota may have held the upload back since the list was read. */
  function isLookOld(): boolean {
    return isAlone && lookedAt !== undefined && clock.now() - lookedAt > LOOK_LASTS_MS
  }

  return {
    id: claim.id,
    async standing() {
      const standing = claim.standing()
      // A file that cannot be read is reported when it is sent.
      return standing.type !== 'first' || sha256 === '' ? standing : await standingInFleet()
    },
    async intend(intent) {
      mimeType = intent.mimeType
      if (isLookOld()) throw new ClaimLostError()
      if (own && !(await own.intend(intent, signal))) throw new ClaimLostError()
      isIntended = true
      claim.intend(intent)
    },
    isDoubtful: () => own?.isDoubtful() === true,
    onLost(then) {
      const lost = own?.lost
      if (lost?.aborted) then()
      lost?.addEventListener('abort', then)
      return () => lost?.removeEventListener('abort', then)
    },
    hashed(value) {
      sha256 = value
      claim.hashed(value)
    },
    looking: claim.looking,
    done(upload: Upload) {
      claim.done(upload)
      const isAsClaimed = sha256 === content.sha256
      const stored = { content: { ...content, sha256 }, name: nameOf(file.name), mimeType, upload }
      if (sha256 !== '') shared.confirm(stored, isAsClaimed ? own?.id : undefined)
      own?.release(isAsClaimed ? 'stored' : 'not-stored')
    },
    notStored() {
      claim.notStored()
      own?.release('not-stored')
    },
    unknown() {
      claim.unknown()
      own?.release(isIntended ? 'unknown' : 'not-stored')
    },
  }
}

/** Longer than most uploads take. */
const APART_MS = 5_000
const LOOK_LASTS_MS = 2_000
/** While another runner's claim is in the way. */
const LOOK_AGAIN_MS = 500
