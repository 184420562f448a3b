import { steadyMs } from '../clock.ts'
import { UnknownOutcomeError, type Upload, type UploadIntent } from '../index.ts'
import { anySignal } from '../system/signals.ts'
import type { FleetClaim } from './fleet/fleet-claims.ts'
import type { SharedContents } from './fleet/shared-contents.ts'
import { type Holder, nameOf, type OpenEntry, type Standing } from './journal-items.ts'
import type { AccountTools, Comparison, Present } from './known-content.ts'
import type { Content } from './known-uploads.ts'
import { type Reconciler, stillUnknown } from './service/resume.ts'
import type { RunLookalikes } from './service/run-lookalikes.ts'
import { type FileToSend, findPresentUpload, orUnconfirmed, readable, waitingFor } from './waiting.ts'

interface ClaimTools extends AccountTools {
  readonly comparison: Comparison | undefined
  readonly lookalikes: Pick<RunLookalikes, 'compare'>
  readonly reconciler: Pick<Reconciler, 'settle' | 'settleUnread'>
}

/** Another runner may be sending this content. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError'
}

/** Longer than most uploads take. */
const APART_MS = 5_000
const LOOK_LASTS_MS = 2_000
/** While another runner's claim is in the way. */
const IN_FLEET_MS = 500
/** How often a run that sends looks whether the journal still has its claim. */
const HERE_MS = 1_000

/**
 * A content that this run means to send, from its claim to its outcome: claimed in the journal among the runs of this
 * machine and, once it is the first of those, in the log of the fleet among all runners.
 */
export function createClaim(name: string, known: Content, sending: FileToSend, tools: ClaimTools) {
  const { journal, shared, reconciler, comparison } = tools
  const { clock } = tools.context
  const { grace, path } = sending
  const here = journal.claim(name, known)
  const losing = new AbortController()
  const wait = waitingFor(sending, tools.context, 'uploads')
  const settled = new Set<string>()
  let content = known
  let mimeType: string | undefined
  let inFleet: FleetClaim | undefined
  /** Of the claim in the fleet. */
  let claimedHash = ''
  /** Whether this runner is cut off from the fleet, and has waited for others that are. */
  let [isAlone, hasPaused] = [false, false]
  /** When the list was read last, and when the journal of this machine, by the monotonic time. */
  let lookedAt: number | undefined
  let lookedHereAt = 0
  let isTellingEarly = false

  function lose(): void {
    // A file that was sent as a whole may be stored: its outcome counts.
    if (!grace.allSent()) losing.abort(new ClaimLostError())
  }

  function hashed(sha256: string): void {
    content = { ...content, sha256 }
    here.hashed(sha256)
  }

  /** Another run may wait only to know whether its file of this size has the same content. */
  async function tellEarly(): Promise<void> {
    if (isTellingEarly || content.sha256 !== '' || path === undefined || !here.isAwaited()) return
    isTellingEarly = true
    const sha256 = await readable(sending.hash).catch(() => '')
    // All of it may have been sent meanwhile, and hashed.
    if (sha256 !== '' && content.sha256 === '') hashed(sha256)
  }

  async function waitFor(holder?: Holder): Promise<void> {
    if (here.waitsInVain(holder)) throw inVain()
    await (inFleet ? wait(IN_FLEET_MS) : wait(undefined, holder))
  }

  /** Whether another claim comes first, in a journal that was rewritten or removed meanwhile. */
  function isBehind(): boolean {
    lookedHereAt = steadyMs(clock)
    const { type } = here.standing()
    return comparison !== undefined && type !== 'first' && (type !== 'needs-hash' || path !== undefined)
  }

  async function standing(): Promise<Standing> {
    const standing = here.standing()
    // A file that cannot be read is reported when it is sent.
    if (standing.type !== 'first' || content.sha256 === '' || shared === undefined) return standing
    if (inFleet === undefined) {
      claimedHash = content.sha256
      inFleet = shared.fleet.claim(here.id, nameOf(name), content)
      inFleet.lost.addEventListener('abort', lose)
    }
    const answer = await shared.standing(inFleet, content)
    if (answer.type !== 'first' && answer.type !== 'alone') return answer
    isAlone ||= answer.type === 'alone'
    return (await orUnconfirmed(isListed(shared))) ? { type: 'stored' } : answer
  }

  /** It is this run's now: what others may have stored is looked for before anything is sent. */
  async function isListed({ find, confirmKnown }: SharedContents): Promise<boolean> {
    const file = { path: path ?? '', name, content }
    const isFound =
      journal.known(content).some(({ upload }) => upload !== undefined) ||
      (lookedAt === undefined && (await find(file, isAlone, tools, grace.signal)))
    lookedAt ??= steadyMs(clock)
    if (isFound) confirmKnown([content])
    return isFound
  }

  /** @returns false where others are to be looked at again */
  async function isToBeSent(isHashed: boolean, hasWaited: boolean): Promise<boolean> {
    // The file may have been changed meanwhile: then another content was claimed.
    if (hasWaited && content.sha256 !== '' && (await readable(sending.hash)) !== content.sha256)
      throw new ClaimLostError()
    if (!isHashed) {
      content = { ...content, sha256: await readable(sending.hash) }
      if (content.sha256 !== '') here.hashed(content.sha256)
      return content.sha256 === ''
    }
    if (!isAlone || hasPaused) return !(await orUnconfirmed(reconciler.settleUnread(content.size)))
    // Cut-off runners that go through one folder miss the same file: each looks again at a random time.
    hasPaused = true
    lookedAt = undefined
    await clock.sleep(Math.random() * APART_MS, grace.signal)
    return false
  }

  /** Finds out once what became of an upload: where the journal does not keep that, asking again tells nothing new. */
  async function settle(entry: OpenEntry): Promise<void> {
    if (settled.has(entry.intent.id)) throw stillUnknown()
    settled.add(entry.intent.id)
    const settling = (one: OpenEntry) => orUnconfirmed(reconciler.settle(one, path))
    await (inFleet && shared ? shared.inherit(entry, name, settling) : settling(entry))
  }

  return {
    /** Its name in the journal. */
    id: here.id,
    /** Aborts when the upload has to end. */
    signal: anySignal([grace.signal, losing.signal]),
    /**
     * Waits for runs that claimed the same content first.
     * @returns their upload; undefined where this item is to be sent
     * @throws ClaimLostError where it has to be claimed again
     */
    async outcomeOfOthers(): Promise<Present | undefined> {
      for (let looks = 1; ; looks += 1) {
        const next = await standing()
        switch (next.type) {
          case 'first':
          case 'alone':
          case 'needs-hash':
            if (await isToBeSent(next.type !== 'needs-hash', looks > 1)) return undefined
            break
          case 'stored': {
            const present = await findPresentUpload(name, content, sending, tools)
            if (present) return present
            break
          }
          case 'open':
            await settle(next.entry)
            break
          case 'waits':
            await waitFor(next.holder)
            break
          case 'silent':
          case 'settling':
            await clock.sleep(next.waitMs, grace.signal)
            break
          case 'lost':
            throw new ClaimLostError()
        }
      }
    },
    /**
     * Call before the first byte of each attempt leaves.
     * @throws ClaimLostError where nothing may be sent before the content is claimed again
     */
    async intend(intent: UploadIntent) {
      mimeType = intent.mimeType
      // The quota may have held the upload back since the list was read.
      const isLookOld = isAlone && lookedAt !== undefined && steadyMs(clock) - lookedAt > LOOK_LASTS_MS
      if (isLookOld) throw new ClaimLostError()
      if (inFleet && !(await inFleet.intend(intent, grace.signal))) throw new ClaimLostError()
      here.intend(intent)
      if (isBehind()) throw new ClaimLostError()
    },
    /** Call before bytes leave. Another runner may have the content after a long sleep, or since the journal was removed. */
    look() {
      if (inFleet?.isDoubtful()) losing.abort(new ClaimLostError())
      if (steadyMs(clock) - lookedHereAt < HERE_MS) return
      if (isBehind()) lose()
      else void tellEarly()
    },
    hashed,
    looking: here.looking,
    done(upload: Upload) {
      here.done(upload)
      const isAsClaimed = inFleet !== undefined && content.sha256 === claimedHash
      const stored = { content, name: nameOf(name), mimeType, upload }
      if (content.sha256 !== '') shared?.confirm(stored, isAsClaimed ? here.id : undefined)
      inFleet?.release(isAsClaimed ? 'stored' : 'not-stored')
    },
    /** The item is certainly not stored, or its outcome is unknown. */
    end(outcome: 'not-stored' | 'unknown') {
      const told = here.end(outcome)
      inFleet?.release(told)
    },
  }
}

export type Claim = ReturnType<typeof createClaim>

function inVain(): UnknownOutcomeError {
  const hint = 'Run the same command again once the journal can be written'
  return new UnknownOutcomeError('Another run may have it, and wait for this one: the journal cannot be written', {
    hint,
  })
}
