import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Clock } from '../../../index.ts'
import { isNotFound } from '../../../system/program-lookup.ts'
import type { Environment } from '../../config/settings.ts'
import { CliError } from '../../failures/cli-error.ts'
import { type Interruption, isOutputEnd } from '../../run/interruption.ts'
import { childAlone, groupOf } from './process-group.ts'

export interface ChildOptions {
  readonly env: Environment
  readonly interruption: Interruption
  readonly clock: Clock
  /** Whether a terminal may send Ctrl-C to the command itself, which is then in the same process group. */
  readonly terminal: boolean
}

/** How long a command that may have had its Ctrl-C from the terminal is given to end of it. */
const CTRL_C_GRACE_MS = 500

/**
 * Runs a command with the streams of this process until it ends. Every signal is sent on once: off a terminal to all that
 * the command has started as well, none of which outlives it, as nobody else would end it. Where it may be a Ctrl-C of
 * the terminal, which reaches all of them, that is done only if the command lives on, for nothing tells it from a signal
 * that was sent to this process alone.
 *
 * @returns its exit code, as a shell gives it: 128+n where signal n ended it
 * @throws CliError where it is not found or cannot be run
 */
export async function runChild(command: readonly string[], options: ChildOptions): Promise<number> {
  const { interruption, clock, terminal } = options
  const [file = '', ...args] = command
  const detached = !terminal && process.platform !== 'win32'
  const child = start(file, { args, env: options.env, detached })
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

interface Start {
  readonly args: readonly string[]
  readonly env: Environment
  /** Whether it leads a group, and a session, of its own. */
  readonly detached: boolean
}

function start(file: string, { args, env, detached }: Start): ChildProcess {
  // What Node takes for a mistake of the program.
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
  return new CliError('command-not-runnable', `${file}: cannot be run: ${reason}`, { cause: error })
}
