import type { ChildProcess } from 'node:child_process'
import type { Clock } from '../../../index.ts'

/** A command and all that it starts, reached together. */
export interface ProcessGroup {
  /** Sends a signal to each of them once. */
  kill(signal: NodeJS.Signals): void
  /**
   * Ends what the command has left behind: with SIGTERM, unless that was sent already, and then for good. What is meant
   * to outlive it makes a session of its own, as services do.
   */
  clear(clock: Clock): Promise<void>
}

/** How long what was left behind is given to end of the signal. */
const clearGraceMs = 1_000

/** How often it is looked at meanwhile. */
const lookEveryMs = 20

/** The group whose leader is a child that was started `detached`. */
export function groupOf(leader: number): ProcessGroup {
  let isAsked = false
  const kill = (signal: NodeJS.Signals) => {
    // Ctrl-C alone is no request to what a shell has put into the background: that is made to ignore it.
    isAsked ||= signal === 'SIGTERM'
    reach(leader, signal)
  }
  return {
    kill,
    async clear(clock) {
      if (!reach(leader, 0)) return
      if (!isAsked) kill('SIGTERM')
      for (let leftMs = clearGraceMs; leftMs > 0; leftMs -= lookEveryMs) {
        await clock.sleep(lookEveryMs)
        if (!reach(leader, 0)) return
      }
      reach(leader, 'SIGKILL')
    },
  }
}

/**
 * A child in the group of this process: nobody else in that is ours to signal. On a terminal it has to be there, for only
 * one group may read what is typed and is sent its Ctrl-C and Ctrl-Z, and Node cannot choose another one; Windows has no
 * groups.
 */
export function childAlone(child: ChildProcess): ProcessGroup {
  return { kill: (signal) => void child.kill(signal), clear: async () => {} }
}

/** @returns whether there is still somebody; who may not be signalled, such as what only waits to be reaped, is nobody */
function reach(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal)
  } catch {
    return false
  }
}
