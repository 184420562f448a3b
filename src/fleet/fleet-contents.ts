import { type Clock, steadyMs } from '../clock.ts'
import { contentsCalls, type FleetMemory } from './contents-calls.ts'
import type { FleetClaim, FleetContents } from './fleet-contents-port.ts'
import type { OpenFleetLedger } from './fleet-ledger.ts'
import { HEARTBEAT_MS } from './heartbeat.ts'
import { createRecentUploads } from './recent-uploads.ts'
import { FleetProblem } from './redis-link.ts'

interface OwnClaim {
  readonly sha256: string
  readonly claim: string
  readonly lost: AbortController
  /** Whether it was claimed without Redis. */
  isAlone: boolean
  isDoubtful: boolean
  intent: string
}

/** What is being sent has to be told again within 5 s of a loss of Redis: two calls, each of a second at most. */
const SENDING_MS = 3_000
/** So long a runner waits for Redis, which may be restarting, before it continues alone. */
const PATIENCE_MS = 10_000
/** The same for a Redis that was never reached. */
const FIRST_PATIENCE_MS = 3_000
const TRY_AGAIN_MS = 500

/** @param onAlone called once, when this runner continues without the others */
export function createFleetContents(ledger: OpenFleetLedger, clock: Clock, onAlone: () => void): FleetContents {
  const { heartbeat } = ledger
  const calls = contentsCalls(ledger, (next) => {
    memory = next
  })
  const recent = createRecentUploads(clock)
  const held = new Map<string, OwnClaim>()
  const ended = new AbortController()
  let memory: FleetMemory | undefined
  let silentSince: number | undefined
  let silent: FleetProblem | undefined
  let isAloneTold = false
  /** What the fleet is to know, in this order. */
  const untold: (() => Promise<void>)[] = []
  let telling: Promise<void> | undefined

  function noticed(error: unknown): FleetProblem {
    if (!(error instanceof FleetProblem)) throw error
    silentSince ??= steadyMs(clock)
    return error
  }

  function isCutOff(problem: FleetProblem): boolean {
    const patienceMs = memory === undefined ? FIRST_PATIENCE_MS : PATIENCE_MS
    if (problem.isPassing && steadyMs(clock) - (silentSince ?? 0) < patienceMs) return false
    if (!isAloneTold) onAlone()
    isAloneTold = true
    return true
  }

  /** @throws FleetProblem once this runner continues alone */
  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (isCutOff(noticed(error))) throw error
      }
      await clock.sleep(TRY_AGAIN_MS, ended.signal)
    }
  }

  /** @throws FleetProblem if the fleet does not know all yet */
  async function tellRest(): Promise<void> {
    for (tell(); telling !== undefined; tell()) {
      await telling
      if (silent) throw silent
    }
  }

  function tell(...work: readonly (() => Promise<void>)[]): void {
    untold.push(...work)
    if (untold.length > 0) telling ??= tellAll()
  }

  async function tellAll(): Promise<void> {
    silent = undefined
    try {
      for (let [next] = untold; next !== undefined; [next] = untold) {
        await next()
        untold.shift()
      }
    } catch (error) {
      // The next call tries again.
      silent = noticed(error)
    } finally {
      telling = undefined
      heartbeat.arm()
    }
  }

  /** Tells again what this runner holds, after all that it has let go. */
  function tellHeld(): void {
    const queued = untold.indexOf(keep, 1)
    if (queued > 0) untold.splice(queued, 1)
    tell(keep)
  }

  /** Learns what is another's by now, too. */
  async function keep(): Promise<void> {
    const all = [...held.values()]
    if (all.length === 0) return
    const lost = new Set(await calls.keep(all))
    for (const own of all) {
      if (lost.has(own.sha256)) lose(own)
      else Object.assign(own, { isAlone: false, isDoubtful: false })
    }
  }

  function lose(own: OwnClaim): void {
    held.delete(own.claim)
    own.lost.abort(new Error('Another runner uploads this content'))
  }

  function silenceMs(): number {
    if (ended.signal.aborted || held.size + untold.length === 0) return Number.POSITIVE_INFINITY
    const isSending = [...held.values()].some(({ intent }) => intent !== '')
    return isSending || untold.length > 0 ? SENDING_MS : HEARTBEAT_MS
  }

  function hold(sha256: string, claim: string, isAlone: boolean): FleetClaim {
    const own = { sha256, claim, lost: new AbortController(), isAlone, isDoubtful: false, intent: '' }
    held.set(claim, own)
    heartbeat.arm()
    return {
      lost: own.lost.signal,
      isDoubtful() {
        heartbeat.look()
        return own.isDoubtful
      },
      intend: (intent, signal) => intend(own, intent, signal),
      release(outcome) {
        if (!held.delete(claim)) return
        heartbeat.arm()
        if (outcome !== 'stored') tell(() => calls.release(sha256, claim, outcome))
      },
    }
  }

  async function intend(own: OwnClaim, intent: string, signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      const isHeld = await tryToIntend(own, intent)
      if (isHeld !== undefined) return isHeld
      await clock.sleep(TRY_AGAIN_MS, signal)
    }
  }

  /** Undefined if Redis does not answer at the moment. */
  async function tryToIntend(own: OwnClaim, intent: string): Promise<boolean | undefined> {
    const { sha256, claim, lost } = own
    if (lost.signal.aborted) return false
    try {
      const isHeld = await calls.intend({ sha256, claim, intent })
      if (isHeld) Object.assign(own, { intent, isAlone: false, isDoubtful: false })
      else lose(own)
      heartbeat.arm()
      return isHeld
    } catch (error) {
      if (!isCutOff(noticed(error))) return undefined
      if (!own.isAlone) return false
      own.intent = intent
      tell(calls.alone)
      return true
    }
  }

  async function close(): Promise<void> {
    await patiently(tellRest).catch(ignoreProblem)
    ended.abort()
    heartbeat.arm()
  }

  heartbeat.watch({
    silenceMs,
    slept() {
      for (const own of held.values()) own.isDoubtful = true
      tellHeld()
    },
    heard(isLoss, wasSilent) {
      silentSince = undefined
      if (isLoss || wasSilent) tellHeld()
      tell(...(isLoss ? [() => calls.confirm(recent.all())] : []))
    },
  })

  return {
    look: (sha256s) => orNone(patiently(() => calls.look(sha256s))),
    owners: (slugs) => orNone(patiently(() => calls.owners(slugs))),
    memory: () => memory,
    async claim(sha256, name, of = '') {
      try {
        // What this process has just released or forgotten is not to be found, and an heir is to find what it has stored.
        await tellRest()
        const answer = await calls.claim(sha256, name, of).catch((error) => {
          // Redis may have it all the same, and would leave it to this runner as long as that lives.
          tell(() => calls.release(sha256, name, 'open'))
          throw error
        })
        if (answer.type !== 'granted' && answer.type !== 'heir') return answer
        return { ...answer, claim: hold(sha256, name, false) }
      } catch (error) {
        if (!isCutOff(noticed(error))) return { type: 'unreachable', waitMs: TRY_AGAIN_MS }
        const claim = hold(sha256, name, true)
        tellHeld()
        return { type: 'alone', claim }
      }
    },
    confirm(uploads) {
      if (uploads.length === 0) return
      const shown = uploads.filter(({ slug }) => /^\S+$/.test(slug)).map(recent.add)
      tell(() => calls.confirm(shown.map((aged) => aged())))
    },
    forget(slugs) {
      recent.remove(slugs)
      if (slugs.length > 0) tell(() => calls.forget(slugs))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function orNone<T>(asking: Promise<ReadonlyMap<string, T>>): Promise<ReadonlyMap<string, T>> {
  return (await asking.catch(ignoreProblem)) ?? new Map()
}

function ignoreProblem(error: unknown): void {
  if (!(error instanceof FleetProblem)) throw error
}
