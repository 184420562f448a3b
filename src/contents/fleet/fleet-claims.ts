import { type Clock, steadyMs } from '../../clock.ts'
import type { UploadIntent } from '../../index.ts'
import { writerOf } from '../../log/log.ts'
import type { OpenLog } from '../../log/redis/fleet-log.ts'
import { HEARTBEAT_MS, SETTLING_MS } from '../../log/redis/heartbeat.ts'
import type { Content } from '../../store/upload-store.ts'
import { type FleetEntry, intentFact, type Standing } from '../journal-items.ts'
import { recordedEntry, type SharedFact, sharedAccount } from './fleet-facts.ts'
import { type FleetTeller, TRY_AGAIN_MS } from './fleet-teller.ts'
import type { SharedFold } from './shared-fold.ts'

function createOwnClaim(id: string, name: string, content: Content) {
  return {
    id,
    path: `-${name}`,
    content,
    lost: new AbortController(),
    /** Empty until it was first told. */
    run: '',
    /** What the record has of it. */
    recorded: undefined as FleetEntry | undefined,
    /** Whether it is in the log, or waits to be told. */
    isTold: false,
    /** Of the heartbeat, when it was told. */
    missed: 0,
    isFirst: false,
    /** Whether it was claimed without Redis. */
    isAlone: false,
    isDoubtful: false,
    isSending: false,
  }
}

type OwnClaim = ReturnType<typeof createOwnClaim>

interface ClaimsOptions extends OpenLog<SharedFact> {
  readonly clock: Clock
  readonly teller: FleetTeller
  readonly fold: () => SharedFold
}

/** What is being sent has to be told again within 5 s of a loss of Redis: two calls, each of a second at most. */
const SENDING_MS = 3_000
const KEPT_ENDINGS = 1_000
/** How often the log is read while another's claim is in the way. */
const POLL_MS = 2_000

/** The contents that this runner means to send, among those of all runners. */
export function createFleetClaims({ log, heartbeat, clock, teller, fold }: ClaimsOptions) {
  const held = new Set<OwnClaim>()
  /** What became of the last claims that stored nothing, by their names. */
  const endings = new Map<string, SharedFact>()
  let [runs, lossesBefore] = [1, 0]
  const run = () => `${log.runner}.${runs}`
  /** What others wait for. */
  const told = () => [...held].filter(({ isTold }) => isTold)
  const fieldOf = ({ content: { sha256 } }: OwnClaim) => `r:${sha256}`
  const itemOf = ({ id, run: own, path, content }: OwnClaim) => {
    return { ...sharedAccount, id, run: own, path, ...content, at: 0 }
  }

  function lose(own: OwnClaim): void {
    held.delete(own)
    own.lost.abort(new Error('Another runner uploads this content'))
  }

  /** Others that claim a file need longer than a restart of Redis: an upload under way is not given up for one. */
  const missedBy = ({ isSending }: OwnClaim) => (isSending ? heartbeat.missedInSilence() : heartbeat.missedLosses())

  function judged(own: OwnClaim): Standing {
    const { id, content, recorded } = own
    const entry = fold().known(content, recorded)
    if (entry) return { type: 'stored', entry }
    // Others may have claimed it, stored it and left.
    if (own.isTold && own.missed !== missedBy(own)) return { type: 'lost' }
    // A log that was shortened has no run that was given up and left nothing open.
    if (fold().stateOf(own.run) !== 'works') return { type: 'lost' }
    const standing = fold().standing(id, log.now())
    if (standing.type === 'stored') return { type: 'stored', entry: undefined }
    // Every claim here has a hash.
    return standing.type === 'needs-hash' ? { type: 'first' } : standing
  }

  function beginRun(): void {
    lossesBefore = heartbeat.missedLosses()
    if (fold().stateOf(run()) !== undefined) runs += 1
  }

  /**
   * The facts by which a content is claimed: again the same where their answer was lost, so that they count once. A run that
   * was given up is followed by another.
   */
  function claiming(own: OwnClaim): readonly SharedFact[] {
    const isGivenUp = fold().stateOf(run()) === 'over' || lossesBefore !== heartbeat.missedLosses()
    if (isGivenUp) beginRun()
    own.run ||= run()
    const start: SharedFact = { type: 'run', run: own.run, host: '', boot: '', space: '', pid: 0, start: '', at: 0 }
    return [...(fold().stateOf(own.run) ? [] : [start]), { type: 'claim', ...itemOf(own) }]
  }

  /** Tells facts about a claim, and learns what the record has of its content. @returns whether they are in the log */
  async function write(own: OwnClaim, facts: readonly SharedFact[], condition?: 'settled'): Promise<boolean> {
    const lines = facts.map((fact) => {
      const { at, line } = teller.dated({ fact, since: steadyMs(clock) })
      // A Redis that lost its memory may be behind: a new run is later than the mark that ended the one before.
      return { at: line.type === 'run' ? Math.max(at, fold().goneAt(log.runner)) : at, line }
    })
    const asked = { ...(condition && { condition }), fields: [fieldOf(own)] }
    const { holds, recorded } = await teller.exchange(() => log.tell(lines, asked))
    own.recorded = recordedEntry(own.content.sha256, recorded[0] ?? '')
    return holds
  }

  /** @returns how long nothing can be claimed yet */
  async function claimInLog(own: OwnClaim): Promise<number | undefined> {
    if (log.heardAt() === undefined) await teller.exchange(log.read)
    if (!(await write(own, claiming(own), 'settled'))) {
      return Math.max(log.epoch().since + SETTLING_MS - log.now(), TRY_AGAIN_MS)
    }
    Object.assign(own, { isTold: true, missed: missedBy(own) })
    heartbeat.arm()
    return undefined
  }

  /** Reads what is new, unless that was done just now. */
  async function lookAgain(own: OwnClaim): Promise<undefined> {
    if (own.isFirst || steadyMs(clock) - (log.heardAt() ?? 0) < POLL_MS) return
    const answer = judged(own)
    const runners = answer.type === 'waits' && answer.holder ? [writerOf(answer.holder.run.run)] : []
    await teller.exchange(() => log.waitFor(runners))
  }

  async function standing(own: OwnClaim): Promise<Standing> {
    if (own.lost.signal.aborted) return { type: 'lost' }
    try {
      // What this process has just released or forgotten is not to be found.
      await teller.tellRest()
      const waitMs = await (own.isTold ? lookAgain(own) : claimInLog(own))
      if (waitMs !== undefined) return { type: 'settling', waitMs }
    } catch (error) {
      if (!teller.isCutOff(error)) return { type: 'silent', waitMs: TRY_AGAIN_MS }
      if (!own.isTold) teller.tell(...claiming(own))
      Object.assign(own, { isTold: true, isAlone: true, isFirst: true, missed: missedBy(own) })
      return { type: 'alone' }
    }
    const answer = judged(own)
    own.isFirst = answer.type === 'first'
    return answer
  }

  function tellEnding(id: string, type: 'not-stored' | 'unknown'): void {
    const ending: SharedFact = type === 'unknown' ? { type, id, at: 0 } : { type, id }
    teller.tell(ending)
    endings.set(id, ending)
    for (const [oldest] of endings) if (endings.size > KEPT_ENDINGS) endings.delete(oldest)
  }

  async function intend(own: OwnClaim, fact: SharedFact, signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      const isHeld = await tryToIntend(own, fact)
      if (isHeld !== undefined) return isHeld
      await clock.sleep(TRY_AGAIN_MS, signal)
    }
  }

  /** After a silence others may have given this runner up: its intent would stand in the way of the heir. */
  async function isGivenUp(own: OwnClaim): Promise<boolean> {
    if (!own.isAlone && heartbeat.isSilent()) {
      await teller.exchange(log.read)
      if (judged(own).type !== 'first') lose(own)
    }
    return own.lost.signal.aborted
  }

  /** Undefined if Redis does not answer at the moment. */
  async function tryToIntend(own: OwnClaim, fact: SharedFact): Promise<boolean | undefined> {
    if (own.lost.signal.aborted) return false
    try {
      await teller.tellRest()
      if (await isGivenUp(own)) return false
      // If this process sleeps meanwhile, it is in doubt again.
      own.isDoubtful = false
      await write(own, [fact])
      const isHeld = judged(own).type === 'first'
      Object.assign(own, { isAlone: false, isSending: true, missed: heartbeat.missedInSilence() })
      if (!isHeld) lose(own)
      return isHeld
    } catch (error) {
      if (!teller.isCutOff(error)) return undefined
      if (!own.isAlone) return false
      own.isSending = true
      teller.tell(fact, { type: 'alone' })
      return true
    } finally {
      heartbeat.arm()
    }
  }

  return {
    run,
    /** Others may have given this runner up: it claims in another run, unless one still holds something. */
    wasSilent() {
      if (told().length === 0) beginRun()
    },
    /** What is another's by now is lost. What others tell again of claims that are over is told to be over again. */
    review() {
      if (!teller.hasUntold()) for (const [id, ending] of endings) if (fold().isOpen(id)) teller.tell(ending)
      for (const own of held) if (own.isFirst && !own.isAlone && judged(own).type !== 'first') lose(own)
    },
    setDoubt(isDoubtful: boolean) {
      for (const own of held) own.isDoubtful = isDoubtful
    },
    isHolding: () => told().length > 0,
    silenceMs: () => {
      if (told().some(({ isSending }) => isSending)) return SENDING_MS
      return told().length > 0 ? HEARTBEAT_MS : Number.POSITIVE_INFINITY
    },
    /** @param id of the claim in this machine's journal @param name of the file */
    claim(id: string, name: string, content: Content) {
      const own = createOwnClaim(id, name, content)
      let isOver = false
      held.add(own)
      return {
        id,
        /** Aborts once another runner has it: nothing more may be sent. */
        lost: own.lost.signal,
        standing: () => standing(own),
        /** Whether this process slept so long that another runner may have it. */
        isDoubtful() {
          heartbeat.look()
          return own.isDoubtful
        },
        /**
         * Call before the first byte of each attempt leaves.
         * @returns false if nothing may be sent before the content is claimed again
         */
        intend: (intent: UploadIntent, signal?: AbortSignal) => {
          const { monotonic: _, ...fact } = intentFact(itemOf(own), { ...intent, startedAt: 0 })
          return intend(own, fact, signal)
        },
        /** Ends it. `stored`: it was confirmed under its name. `unknown`: it may be stored; the next runner finds out. */
        release(outcome: 'stored' | 'not-stored' | 'unknown') {
          if (isOver) return
          isOver = true
          held.delete(own)
          heartbeat.arm()
          if (own.run === '' || outcome === 'stored') return
          tellEnding(id, outcome)
        },
      }
    },
  }
}

/** A content that this runner means to send. */
export type FleetClaim = ReturnType<ReturnType<typeof createFleetClaims>['claim']>
