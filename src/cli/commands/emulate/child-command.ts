import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Clock } from '../../../index.ts'
import type { Environment } from '../../../system/environment.ts'
import { isNotFound } from '../../../system/program-lookup.ts'
import { type Interruption, isOutputEnd } from '../../context/interruption.ts'
import { CliError } from '../../failures/cli-error.ts'

interface ChildOptions {
  readonly env: Environment
  readonly interruption: Interruption
  readonly clock: Clock
  /** Whether a terminal is attached: the command then shares this process group and gets Ctrl-C itself. */
  readonly terminal: boolean
}

/** How long to wait for the command to end after a Ctrl-C that the terminal may have sent to it too. */
const CTRL_C_GRACE_MS = 500
/** How long what the command has left behind may take to end. */
const CLEAR_GRACE_MS = 1_000
const LOOK_EVERY_MS = 20

/**
 * Runs a command on this process's streams until it ends, and forwards each signal once. Without a terminal, signals go
 * to the command's whole process group, which is also ended with the command. On a terminal, a SIGINT may be a Ctrl-C,
 * which reaches the command anyway; it is forwarded only if the command is still running after a short wait.
 *
 * @returns its exit code; 128+n if signal n ended it
 * @throws CliError if it is not found or cannot be run
 */
export async function runChild([file = '', ...args]: readonly string[], options: ChildOptions): Promise<number> {
  const { env, interruption, clock, terminal } = options
  // On a terminal the child has to be in this group: only one group receives input, Ctrl-C and Ctrl-Z, and Node cannot
  // change which. Windows has no groups.
  const detached = !terminal && process.platform !== 'win32'
  let child: ChildProcess | undefined
  /** @returns whether a process could be signalled; zombies cannot */
  const reach = (signal: NodeJS.Signals | 0) => {
    try {
      return detached && child?.pid !== undefined ? process.kill(-child.pid, signal) : child?.kill(signal) === true
    } catch {
      return false
    }
  }
  const leaveNoOrphan = () => void reach('SIGKILL')
  const over = new AbortController()
  let isAsked = false
  let isWaiting = false

  async function sendOnLater(signal: NodeJS.Signals): Promise<void> {
    if (isWaiting) return
    isWaiting = true
    await clock.sleep(CTRL_C_GRACE_MS, over.signal)
    isWaiting = false
    reach(signal)
  }

  /** Processes meant to outlive the command, such as services, make their own session and are not reached. */
  async function clearGroup(): Promise<void> {
    // Shells make their background processes ignore SIGINT.
    if (!isAsked) reach('SIGTERM')
    for (let leftMs = CLEAR_GRACE_MS; leftMs > 0 && reach(0); leftMs -= LOOK_EVERY_MS) await clock.sleep(LOOK_EVERY_MS)
    reach('SIGKILL')
  }

  process.once('exit', leaveNoOrphan)
  interruption.redirect((cause) => {
    const signal = isOutputEnd(cause) ? 'SIGPIPE' : cause
    isAsked ||= signal === 'SIGTERM'
    if (signal !== 'SIGINT' || !terminal) reach(signal)
    else sendOnLater(signal).catch(() => {})
  })
  try {
    child = spawn(file, args, { stdio: 'inherit', env: { ...env }, detached })
    const [code, signal] = await once(child, 'close')
    if (detached) await clearGroup()
    return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)
  } catch (error) {
    throw notRun(error as Error, file, env)
  } finally {
    over.abort()
    process.off('exit', leaveNoOrphan)
  }
}

function notRun(error: NodeJS.ErrnoException, file: string, env: Environment): CliError {
  if (file === '' || isNotFound(error, file, env)) {
    return new CliError('command-not-found', `${file || '""'}: command not found`, { cause: error })
  }
  const reason = error.code === 'EACCES' ? 'permission denied' : error.message
  return new CliError('command-not-runnable', `${file}: cannot run: ${reason}`, { cause: error })
}
