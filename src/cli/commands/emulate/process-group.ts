import type { ChildProcess } from 'node:child_process'
import type { Clock } from '../../../index.ts'

/** A command with the processes that it has started. */
export interface ProcessGroup {
  /** Sends a signal to all of them. */
  kill(signal: NodeJS.Signals): void
  /**
   * Ends the processes that the command has left behind: with SIGTERM, unless already sent, then with SIGKILL. Processes
   * meant to outlive it, such as services, make their own session and are not reached.
   */
  clear(clock: Clock): Promise<void>
}

/** How long the remaining processes may take to end after SIGTERM. */
const clearGraceMs = 1_000

/** How often to check whether they have ended. */
const lookEveryMs = 20

/** The group of a child that was started `detached`. */
export function groupOf(leader: number): ProcessGroup {
  let isAsked = false
  const kill = (signal: NodeJS.Signals) => {
    // SIGINT does not count as a request to end: shells make their background processes ignore it.
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
 * A child in this process's own group, signalled alone. On a terminal the child must be in this group: only one group
 * receives input, Ctrl-C and Ctrl-Z, and Node cannot change which. Windows has no groups.
 */
export function childAlone(child: ChildProcess): ProcessGroup {
  return { kill: (signal) => void child.kill(signal), clear: async () => {} }
}

/** @returns whether the group still has a process that can be signalled; zombies cannot */
function reach(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal)
  } catch {
    return false
  }
}
