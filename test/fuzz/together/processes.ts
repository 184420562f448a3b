import { AsyncLocalStorage } from 'node:async_hooks'
import sqlite, { DatabaseSync } from 'node:sqlite'

/**
 * Runs that share this process, each with a process id of its own, as the state folder sees them. Ids begin where no
 * system's end, so that nothing is known of a process but whether it runs.
 */
export interface Processes {
  /** Does work as a process; all that it awaits has the same id. */
  start<Result>(work: (pid: number) => Promise<Result>): Promise<Result>
  /** From now on the process counts as ended: its databases and locks are closed, and it opens no others. */
  end(pid: number): void
}

const FIRST_PID = 5_000_000

const own = new AsyncLocalStorage<number>()
const running = new Set<number>()
let lastPid = FIRST_PID

export const processes: Processes = {
  async start(work) {
    install()
    lastPid += 1
    const pid = lastPid
    running.add(pid)
    try {
      return await own.run(pid, () => work(pid))
    } finally {
      running.delete(pid)
    }
  },
  end(pid) {
    running.delete(pid)
    for (const database of opened.get(pid) ?? []) if (database.isOpen) database.close()
    opened.delete(pid)
  },
}

/** Databases by the process that opened them. */
const opened = new Map<number, DatabaseSync[]>()

class OwnDatabase extends DatabaseSync {
  constructor(...given: ConstructorParameters<typeof DatabaseSync>) {
    const pid = own.getStore()
    if (pid !== undefined && !running.has(pid)) throw new Error('The process has ended')
    super(...given)
    if (pid !== undefined) opened.set(pid, [...(opened.get(pid) ?? []).filter((other) => other.isOpen), this])
  }
}

let isInstalled = false

/** Asks for the process id, and whether a process runs, come here. */
function install(): void {
  if (isInstalled) return
  isInstalled = true
  Object.assign(sqlite, { DatabaseSync: OwnDatabase })
  const { pid: real } = process
  const kill = process.kill.bind(process)
  Object.defineProperty(process, 'pid', { configurable: true, get: () => own.getStore() ?? real })
  process.kill = (pid, signal) => {
    if (pid < FIRST_PID) return kill(pid, signal)
    if (running.has(pid)) return true
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' })
  }
}
