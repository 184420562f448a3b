import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterRealTime } from './clock.ts'
import type { Timeline } from './virtual-clock.ts'

/**
 * The timeline moves only after so many turns of the event loop without a change (about half a millisecond), so that a
 * program finishes what it does between two sleeps first.
 */
const quietTurns = 100

/**
 * How long file work under way holds the timeline back, in milliseconds of real time; a pipe without a writer would hold it
 * for ever.
 */
const longestHoldMs = 1_000

/**
 * Moves a timeline by itself, in the mode `auto`: to the earliest instant that a sleeper waits for, once no request is
 * being handled and the program has nothing else to do.
 * @param movable the timeline; undefined while it must not be moved
 */
export function createAutoMoves(movable: () => Timeline | undefined) {
  let handled = 0
  let changes = 0
  let isWatching = false

  const awaited = () => (handled > 0 ? undefined : movable()?.awaited())

  /** Work has held the timeline back for too long, and has not ended since. */
  let isHeldTooLong = false
  const isHeld = () => {
    const isAtWork = hasWorkUnderWay()
    if (!isAtWork) isHeldTooLong = false
    return isAtWork && !isHeldTooLong
  }

  /** @returns false as soon as nothing is awaited any more */
  const becameQuiet = async (): Promise<boolean> => {
    const stop = afterRealTime(longestHoldMs, () => {
      isHeldTooLong = true
    })
    try {
      let seen = changes
      for (let turns = 0; turns < quietTurns; turns += 1) {
        await nextTurn()
        if (awaited() === undefined) return false
        if (seen !== changes || (turns === quietTurns - 1 && isHeld())) turns = 0
        seen = changes
      }
      return true
    } finally {
      stop()
    }
  }

  const watch = async () => {
    isWatching = true
    while (await becameQuiet()) await movable()?.advanceTo(awaited() ?? 0)
    isWatching = false
  }

  const consider = () => {
    changes += 1
    if (!isWatching && awaited() !== undefined) void watch()
  }

  return {
    /** Something has changed: a sleep has begun, or the mode was switched. */
    consider,
    /** A request is being handled until the returned function is called; the timeline is not moved meanwhile. */
    beginRequest(): () => void {
      handled += 1
      changes += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        handled -= 1
        consider()
      }
    },
    /** Waits during a request, which is not being handled until the wait is over. */
    async waitInRequest(wait: () => Promise<void>) {
      handled -= 1
      try {
        await wait()
      } finally {
        handled += 1
        changes += 1
      }
    },
  }
}

/** Whether the system is at work for this program: reads a file, looks up a name. */
function hasWorkUnderWay(): boolean {
  return process.getActiveResourcesInfo?.().some((resource) => resource.includes('Req')) ?? false
}
