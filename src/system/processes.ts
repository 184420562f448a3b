import { errorCodeOf } from './system-errors.ts'

/** Whether a process exists; one of another user counts too, and one that has ended but was not waited for. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCodeOf(error) === 'EPERM'
  }
}
