import { type ChildProcess, spawn } from 'node:child_process'
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

/**
 * Runs a command on this process's streams until it ends, and forwards each signal once. Without a terminal, signals go
 * to the command's whole process group, which is also killed when the command ends. On a terminal, a SIGINT may be a
 * Ctrl-C, which reaches the command anyway; it is forwarded only if the command is still running after a short wait.
 *
 * @returns its exit code; 128+n if signal n ended it
 * @throws CliError if it is not found or cannot be run
 */
export async function runChild(command: readonly string[], options: ChildOptions): Promise<number> {
  const { interruption, clock, terminal } = options
  const [file = '', ...args] = command
  const detached = !terminal && process.platform !== 'win32'
  const child = start(file, args, options.env, detached)
  const group = detached && child.pid !== undefined ? groupOf(child.pid) : childAlone(child)
  const leaveNoOrphan = () => group.kill('SIGKILL')
  const over = new AbortController()
  let waiting = false

  async function sendOnLater(signal: NodeJS.Signals): Promise<void> {
    if (waiting) return
    waiting = true
    await clock.sleep(CTRL_C_GRACE_MS, over.signal)
    waiting = false
    group.kill(signal)
  }

  process.once('exit', leaveNoOrphan)
  interruption.redirect((cause) => {
    const signal = isOutputEnd(cause) ? 'SIGPIPE' : cause
    if (signal !== 'SIGINT' || !terminal) group.kill(signal)
    else sendOnLater(signal).catch(() => {})
  })
  try {
    const code = await ended(child, file, options.env)
    await group.clear(clock)
    return code
  } finally {
    over.abort()
    process.off('exit', leaveNoOrphan)
  }
}

/** @param detached whether to start it in a new process group and session */
function start(file: string, args: readonly string[], env: Environment, detached: boolean): ChildProcess {
  // spawn('') throws a TypeError.
  if (file === '') throw new CliError('command-not-found', '"": command not found')
  try {
    return spawn(file, args, { stdio: 'inherit', env: { ...env }, detached })
  } catch (error) {
    throw error instanceof Error ? notRun(error, file, env) : error
  }
}

function ended(child: ChildProcess, file: string, env: Environment): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(notRun(error, file, env)))
    child.once('close', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}

function notRun(error: NodeJS.ErrnoException, file: string, env: Environment): CliError {
  if (isNotFound(error, file, env)) {
    return new CliError('command-not-found', `${file}: command not found`, { cause: error })
  }
  const reason = error.code === 'EACCES' ? 'permission denied' : error.message
  return new CliError('command-not-runnable', `${file}: cannot run: ${reason}`, { cause: error })
}

const clearGraceMs = 1_000

const lookEveryMs = 20

/** The group of a child that was started `detached`: all processes that it has started. */
function groupOf(leader: number) {
  let isAsked = false
  const kill = (signal: NodeJS.Signals) => {
    // SIGINT does not count as a request to end: shells make their background processes ignore it.
    isAsked ||= signal === 'SIGTERM'
    reach(leader, signal)
  }
  return {
    kill,
    /**
     * Ends the processes that the command has left behind: with SIGTERM, unless already sent, then with SIGKILL. Processes
     * meant to outlive it, such as services, make their own session and are not reached.
     */
    async clear(clock: Clock): Promise<void> {
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
function childAlone(child: ChildProcess): ReturnType<typeof groupOf> {
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
