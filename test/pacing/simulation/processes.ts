import type { Clock } from '../../../src/clock.ts'
import type { Random } from './random.ts'
import type { Send, SharedState, Strategy } from './strategy.ts'

/** The outcome of all uploads together. */
export interface Tally {
  refusals: number
  refusedUploads: number
  wastedUnits: number
  lostFiles: number
}

/** What all processes share. */
export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly send: Send
  readonly tally: Tally
}

/** How the files are divided among processes. */
export interface Division {
  /** Uploads of all processes together. */
  readonly files: number
  /** Processes at the same time. Default: 1. */
  readonly processes?: number
  /** A process ends after so many files, and another one replaces it. Default: it uploads all of its share. */
  readonly filesPerProcess?: number
  /** Whether processes share their state. Default: true. */
  readonly shared?: boolean
}

/** Shares the files out among processes that run at the same time. */
export async function runProcesses(strategy: Strategy, division: Division, world: World): Promise<void> {
  const { files, processes = 1, shared = true } = division
  const common: SharedState = {}
  const shares = Array.from({ length: processes }, (_, index) => Math.floor((files + index) / processes))
  await Promise.all(
    shares.map((share) => runInvocations(strategy, { ...division, files: share }, world, shared ? common : undefined)),
  )
}

/** One process after another, each with a few of the files, until all are done. */
async function runInvocations(strategy: Strategy, division: Division, world: World, state: SharedState | undefined) {
  const { files, filesPerProcess = files } = division
  for (let left = files; left > 0; left -= filesPerProcess) {
    await runProcess(strategy, Math.min(left, filesPerProcess), world, state ?? {})
  }
}

async function runProcess(strategy: Strategy, files: number, world: World, state: SharedState): Promise<void> {
  const { clock, random, send, tally } = world
  const upload = strategy.start({ clock, random, state })
  let left = files
  const work = async () => {
    while (left > 0) {
      left -= 1
      if (!(await upload(counting(send, tally)))) tally.lostFiles += 1
    }
  }
  await Promise.all(Array.from({ length: Math.min(strategy.jobs, files) }, work))
}

/** Counts the refusals of one upload. */
function counting(send: Send, tally: Tally): Send {
  let hasMetOne = false
  return async (cost) => {
    const answer = await send(cost)
    if (answer.status !== 429) return answer
    tally.refusals += 1
    tally.wastedUnits += answer.charged
    if (!hasMetOne) tally.refusedUploads += 1
    hasMetOne = true
    return answer
  }
}
