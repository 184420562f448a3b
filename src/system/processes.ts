import { readFileSync } from 'node:fs'
import { errorCodeOf } from './system-errors.ts'

/** Whether a process exists; one of another user counts too, and one that has ended but was not waited for. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCodeOf(error) === 'EPERM'
  }
}

/** Whether a process is suspended, as by Ctrl-Z; false where the system has no /proc. */
export function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in parentheses, may hold anything; the state follows it.
    return /^[Tt]$/.test(stat.charAt(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}
