import { type Clock, steadyMs } from '../clock.ts'
import { contentsCalls, type FleetMember, type FleetMemory } from './contents-calls.ts'
import type { FleetClaim, FleetContents } from './fleet-contents-port.ts'
import { createRecentUploads } from './recent-uploads.ts'
import { FleetProblem } from './redis-link.ts'

export interface FleetContentsOptions {
  readonly member: FleetMember
  readonly clock: Clock
  /** Called once, when this runner continues without the others. */
  readonly onAlone: () => void
}

interface OwnClaim {
  readonly sha256: string
  readonly claim: string
  readonly lost: AbortController
  /** Whether it was claimed without Redis. */
  isAlone: boolean
  isDoubtful: boolean
  intent: string
}

/** A claim lasts for 30 s; after a loss of Redis it has to be renewed within 5 s. */
const BEAT_MS = 2_000
/** A process that slept for longer has to ask whether its claims are still its own. */
const DOUBT_AFTER_MS = 20_000
/** So long a runner waits for Redis, which may be restarting, before it continues alone. */
const PATIENCE_MS = 10_000
/** The same for a Redis that was never reached. */
const FIRST_PATIENCE_MS = 3_000
const TRY_AGAIN_MS = 500

export function createFleetContents({ member, clock, onAlone }: FleetContentsOptions): FleetContents {
  const calls = contentsCalls(member, onMemory)
  const recent = createRecentUploads(clock)
  const held = new Map<string, OwnClaim>()
  const ended = new AbortController()
  let memory: FleetMemory | undefined
  let silentSince: number | undefined
  let silent: FleetProblem | undefined
  let isAloneTold = false
  let beating: Promise<void> | undefined
  /** What the fleet is to know, in this order. */
  const untold: (() => Promise<void>)[] = []
  let telling: Promise<void> | undefined

  function onMemory(next: FleetMemory): void {
    const isLoss = memory !== undefined && memory.epoch !== next.epoch
    memory = next
    silentSince = undefined
    if (!isLoss) return
    tell(() => calls.confirm(recent.all()))
    keep().catch(ignoreProblem)
  }

  function noticed(error: unknown): FleetProblem {
    if (!(error instanceof FleetProblem)) throw error
    silentSince ??= steadyMs(clock)
    return error
  }

  function isCutOff(problem: FleetProblem): boolean {
    const patienceMs = memory === undefined ? FIRST_PATIENCE_MS : PATIENCE_MS
    if (mayPass(problem) && steadyMs(clock) - (silentSince ?? 0) < patienceMs) return false
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
        const problem = noticed(error)
        if (isCutOff(problem)) throw problem
      }
      await clock.sleep(TRY_AGAIN_MS, ended.signal)
    }
  }

  /** @throws FleetProblem if the fleet does not know all yet */
  async function tellRest(): Promise<void> {
    tell()
    await telling
    if (untold.length > 0) throw silent
  }

  function tell(...work: readonly (() => Promise<void>)[]): void {
    untold.push(...work)
    if (untold.length > 0) telling ??= tellAll()
  }

  async function tellAll(): Promise<void> {
    try {
      for (let [next] = untold; next !== undefined; [next] = untold) {
        await next()
        untold.shift()
      }
    } catch (error) {
      // The next call or beat tries again.
      silent = noticed(error)
    } finally {
      telling = undefined
    }
  }

  async function keep(): Promise<void> {
    const all = [...held.values()]
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

  async function beat(): Promise<void> {
    for (let last = steadyMs(clock); !ended.signal.aborted; ) {
      await clock.sleep(BEAT_MS, ended.signal).catch(() => {})
      if (ended.signal.aborted) return
      const now = steadyMs(clock)
      if (now - last > DOUBT_AFTER_MS) for (const own of held.values()) own.isDoubtful = true
      last = now
      await keep().then(() => tell(), noticed)
    }
  }

  function hold(sha256: string, claim: string, isAlone: boolean): FleetClaim {
    const own = { sha256, claim, lost: new AbortController(), isAlone, isDoubtful: false, intent: '' }
    held.set(claim, own)
    return {
      lost: own.lost.signal,
      isDoubtful: () => own.isDoubtful,
      intend: (intent, signal) => intend(own, intent, signal),
      release(outcome) {
        if (!held.delete(claim) || outcome === 'stored') return
        tell(() => (outcome === 'open' ? calls.open(sha256, claim) : calls.drop(sha256, claim)))
      },
    }
  }

  async function intend(own: OwnClaim, intent: string, signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      const answer = await tryToIntend(own, intent)
      if (answer !== 'unreachable') return answer === 'held'
      await clock.sleep(TRY_AGAIN_MS, signal)
    }
  }

  async function tryToIntend(own: OwnClaim, intent: string): Promise<'held' | 'lost' | 'unreachable'> {
    const { sha256, claim, lost } = own
    if (lost.signal.aborted) return 'lost'
    try {
      const isHeld = await calls.intend({ sha256, claim, intent })
      if (isHeld) Object.assign(own, { intent, isAlone: false, isDoubtful: false })
      else lose(own)
      return isHeld ? 'held' : 'lost'
    } catch (error) {
      if (!isCutOff(noticed(error))) return 'unreachable'
      if (!own.isAlone) return 'lost'
      own.intent = intent
      tell(calls.alone)
      return 'held'
    }
  }

  async function close(): Promise<void> {
    await patiently(tellRest).catch(ignoreProblem)
    ended.abort()
    await beating
  }

  return {
    look: (sha256s) => orNone(patiently(() => calls.look(sha256s))),
    owners: (slugs) => orNone(patiently(() => calls.owners(slugs))),
    memory: () => memory,
    async claim(sha256, name, of = '') {
      beating ??= beat()
      try {
        // What this process has just released or forgotten is not to be found, and an heir is to find what it has stored.
        await tellRest()
        const answer = await calls.claim(sha256, name, of)
        if (answer.type !== 'granted' && answer.type !== 'heir') return answer
        return { ...answer, claim: hold(sha256, name, false) }
      } catch (error) {
        if (!isCutOff(noticed(error))) return { type: 'unreachable', waitMs: TRY_AGAIN_MS }
        return { type: 'alone', claim: hold(sha256, name, true) }
      }
    },
    confirm(uploads) {
      if (uploads.length === 0) return
      const shown = uploads.filter(({ slug }) => /^\S+$/.test(slug)).map(recent.add)
      tell(() => calls.confirm(shown.map(({ aged }) => aged())))
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

function mayPass({ kind }: FleetProblem): boolean {
  return kind === 'unreachable' || kind === 'too-slow' || kind === 'not-ready'
}

function ignoreProblem(error: unknown): void {
  if (!(error instanceof FleetProblem)) throw error
}
