import { AsyncLocalStorage } from 'node:async_hooks'
import { type KillableWork, killableWork } from '../../helpers/killable.ts'

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
const running = new Map<number, KillableWork>()
let lastPid = FIRST_PID

export const processes: Processes = {
  async start(work) {
    install()
    lastPid += 1
    const pid = lastPid
    const one = killableWork()
    running.set(pid, one)
    try {
      return await one.within(() => own.run(pid, () => work(pid)))
    } finally {
      running.delete(pid)
    }
  },
  end(pid) {
    running.get(pid)?.kill()
    running.delete(pid)
  },
}

let isInstalled = false

/** Asks for the process id, and whether a process runs, come here. */
function install(): void {
  if (isInstalled) return
  isInstalled = true
  const { pid: real } = process
  const kill = process.kill.bind(process)
  Object.defineProperty(process, 'pid', { configurable: true, get: () => own.getStore() ?? real })
  process.kill = (pid, signal) => {
    if (pid < FIRST_PID) return kill(pid, signal)
    if (running.has(pid)) return true
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' })
  }
}
