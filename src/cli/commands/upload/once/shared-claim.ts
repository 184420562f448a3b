import type { Clock, Upload, UploadIntent } from '../../../../index.ts'
import type { FleetClaim, FleetClaimAnswer } from '../../../config/fleet.ts'
import type { Claim, Journal } from '../../../journal/journal.ts'
import { nameOf, type Standing } from '../../../journal/journal-items.ts'
import { describeIntent, parseIntent } from './fleet-descriptions.ts'
import type { KnownFile } from './known-content.ts'
import type { ListLook } from './list-look.ts'
import type { SharedContents } from './shared-contents.ts'

/** A content that this run means to send, claimed among the runs of this machine and the runners of the fleet. */
export interface UploadClaim extends Omit<Claim, 'standing' | 'intend'> {
  standing(): Standing | Promise<Standing>
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
  const { content } = file
  let { sha256 } = content
  let mimeType: string | undefined
  let own: FleetClaim | undefined
  let isAlone = false
  /** When the list was read last, in epoch milliseconds. */
  let lookedAt: number | undefined
  let hasPaused = false
  let isIntended = false
  /** Another runner's claim, and how often this machine's journal is asked for its end before Redis is asked again. */
  let rival = { claim: '', looks: 0 }
  /** An upload of a holder that is gone, by its name in the journal. */
  let inherited: string | undefined

  const isInheritedOpen = () => inherited !== undefined && openEntry(inherited) !== undefined
  const openEntry = (id: string) => journal.unsettled().find(({ intent }) => intent.id === id)

  /** It is this run's now: what others may have stored is looked for before anything is sent. */
  async function standingOfHolder(): Promise<Standing> {
    const open = inherited === undefined ? undefined : openEntry(inherited)
    if (open) return { type: 'open', entry: open }
    const isFound = isStored() || (lookedAt === undefined && (await look.find(file, isAlone, signal)) !== undefined)
    lookedAt ??= clock.now()
    if (!isFound && isAlone && !hasPaused) return pauseAlone()
    if (!isFound) return { type: 'first' }
    shared.confirmKnown([content])
    release('open')
    return { type: 'stored' }
  }

  /** Runners that are cut off and go through one folder miss the same file: each looks again at a moment of its own. */
  function pauseAlone(): Standing {
    hasPaused = true
    lookedAt = undefined
    return { type: 'waits', lookAgainMs: Math.random() * APART_MS }
  }

  const isStored = () => journal.known(content).some(({ upload }) => upload !== undefined)

  function inherit({ intent, ageMs }: Extract<FleetClaimAnswer, { readonly type: 'heir' }>): void {
    const described = parseIntent(intent)
    const now = clock.monotonic?.()
    inherited = journal.learn({
      type: 'intent',
      path: file.name,
      sha256,
      at: clock.now() - ageMs,
      size: described?.size ?? content.size,
      mime_type: described?.mimeType ?? '',
      ...(now !== undefined && { monotonic: now - ageMs }),
      ...(described?.serviceStartedAt && {
        service_from: described.serviceStartedAt.from,
        service_to: described.serviceStartedAt.to,
      }),
    })
  }

  async function claimInFleet(ended?: string): Promise<Standing> {
    const answer = await shared.fleet.claim(sha256, claim.id, ended)
    switch (answer.type) {
      case 'stored':
        shared.take(content, answer.entry)
        return { type: 'stored' }
      case 'settling':
        shared.settling(answer.waitMs)
        return { type: 'waits', lookAgainMs: answer.waitMs }
      case 'unreachable':
        return { type: 'waits', lookAgainMs: answer.waitMs }
      case 'waits':
        // Its lease need not run out where this machine knows better.
        if (ended !== answer.holder && journal.isOver(answer.holder)) return await claimInFleet(answer.holder)
        rival = { claim: answer.holder, looks: LOOKS_PER_CALL - 1 }
        return { type: 'waits', lookAgainMs: LOOK_AGAIN_MS }
      case 'heir':
        inherit(answer)
        break
      case 'alone':
        isAlone = true
        break
      case 'granted':
        break
    }
    own = answer.claim
    return await standingOfHolder()
  }

  /** The quota may have held the upload back since the list was read. */
  function isLookOld(): boolean {
    return isAlone && lookedAt !== undefined && clock.now() - lookedAt > LOOK_LASTS_MS
  }

  function release(outcome: 'stored' | 'not-stored' | 'open'): void {
    own?.release(outcome)
    own = undefined
  }

  return {
    id: claim.id,
    async standing() {
      const standing = claim.standing()
      // A file that cannot be read is reported when it is sent.
      if (standing.type !== 'first' || sha256 === '') return standing
      if (own) return await standingOfHolder()
      rival.looks -= 1
      if (rival.looks < 0 || journal.isOver(rival.claim)) return await claimInFleet()
      return { type: 'waits', lookAgainMs: LOOK_AGAIN_MS }
    },
    async intend(intent) {
      mimeType = intent.mimeType
      if (isLookOld()) throw new ClaimLostError()
      if (own && !(await own.intend(describeIntent(intent), signal))) throw new ClaimLostError()
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
      if (sha256 !== '') shared.confirm({ sha256, name: nameOf(file.name), mimeType, upload })
      release(sha256 === content.sha256 ? 'stored' : 'not-stored')
    },
    notStored() {
      claim.notStored()
      release(isInheritedOpen() ? 'open' : 'not-stored')
    },
    unknown() {
      claim.unknown()
      release(isIntended || isInheritedOpen() ? 'open' : 'not-stored')
    },
  }
}

/** Longer than most uploads take. */
const APART_MS = 5_000
const LOOK_LASTS_MS = 2_000
/** While another runner's claim is in the way, the journal is read this often, and Redis is asked every 2 s. */
const LOOK_AGAIN_MS = 500
const LOOKS_PER_CALL = 4
