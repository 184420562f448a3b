import { Timeline, type VirtualClock } from '../../emulator/clock/clock.ts'
import type { Clock } from '../../src/index.ts'

/** Virtual time that moves to the next sleeper whenever nothing else is running. */
export interface PatientClock {
  /** For the service; a delayed answer lets time pass, and with several programs, the others go on meanwhile. */
  readonly service: VirtualClock
  /** For a client whose clock differs from the service's by `ms()` milliseconds. */
  skewed(ms: () => number, hasMonotonic: boolean): Clock
  /** Stops time until the work is done; the work itself may let time pass. */
  busyWith<Result>(work: Promise<Result>): Promise<Result>
  /** Lets time pass during a wait that is a part of such work. */
  idleDuring(wait: Promise<void>): Promise<void>
  /** Lets time pass until the work is done. @throws Error if nothing sleeps on the clock and nothing happens any more */
  passUntil(work: Promise<unknown>): Promise<void>
}

/** Idle turns of the event loop before time moves: everything that is ready has run by then. */
const QUIET_TURNS = 3
/** Idle turns, without a sleeper, before the work counts as stuck: file operations cannot be observed. */
const STUCK_TURNS = 200_000

/** Idle turns, of several programs at once, before work counts as waiting for the clock. */
const LONGEST_WORK_TURNS = 1_000

/**
 * @param startAt epoch milliseconds
 * @param isShared whether several programs are at work: one may wait in the middle of a request
 */
export function createPatientClock(startAt: number, { isShared = false } = {}): PatientClock {
  const own = new Timeline(startAt)
  const service = isShared ? { ...own, pass: (ms: number, signal?: AbortSignal) => idleDuring(sleep(ms, signal)) } : own
  const due: number[] = []
  let busy = 0

  async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const at = service.now() + Math.max(ms, 0)
    due.push(at)
    try {
      await own.sleep(ms, signal)
    } finally {
      due.splice(due.indexOf(at), 1)
    }
  }

  async function idleDuring(wait: Promise<void>): Promise<void> {
    busy -= 1
    try {
      await wait
    } finally {
      busy += 1
    }
  }

  async function quiet(): Promise<void> {
    let worked = 0
    for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
      await turn()
      const isWorking = busy > 0 && (!isShared || due.length === 0 || worked < LONGEST_WORK_TURNS)
      if (isWorking) worked += 1
      if (isWorking || readsFiles()) turns = -1
    }
  }

  return {
    service,
    idleDuring,
    skewed: (ms, hasMonotonic) => ({
      now: () => service.now() + ms(),
      sleep,
      ...(hasMonotonic && { monotonic: () => service.now() }),
    }),
    async busyWith(work) {
      busy += 1
      try {
        return await work
      } finally {
        busy -= 1
      }
    },
    async passUntil(work) {
      let done = false
      const ended = work.finally(() => {
        done = true
      })
      ended.catch(() => {})
      for (let idle = 0; !done; idle += 1) {
        await quiet()
        if (done) break
        if (due.length > 0) {
          await service.advance(Math.max(0, Math.min(...due) - service.now()))
          idle = 0
        }
        if (idle > STUCK_TURNS) throw new Error('The work waits for something that is not the clock')
      }
      await ended
    },
  }
}

function readsFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FS'))
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
