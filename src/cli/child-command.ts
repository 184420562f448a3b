import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { CliError } from './cli-error.ts'
import type { Interruption } from './interruption.ts'
import type { Environment } from './settings.ts'

export interface ChildOptions {
  readonly env: Environment
  readonly interruption: Interruption
  /** Whether a terminal sends Ctrl-C to the command itself, which is in the same process group. */
  readonly terminal: boolean
}

/**
 * Runs a command with the streams of this process until it ends. Every signal reaches it once: one that the terminal
 * sends to both is not sent on.
 *
 * @returns its exit code, as a shell gives it: 128+n where signal n ended it
 * @throws CliError where it is not found or cannot be run
 */
export async function runChild(command: readonly string[], options: ChildOptions): Promise<number> {
  const [file = '', ...args] = command
  const child = spawn(file, args, { stdio: 'inherit', env: { ...options.env } })
  const leaveNoOrphan = () => child.kill('SIGKILL')
  process.once('exit', leaveNoOrphan)
  options.interruption.redirect((cause) => {
    const signal = cause === 'output-closed' ? 'SIGPIPE' : cause
    if (!(signal === 'SIGINT' && options.terminal)) child.kill(signal)
  })
  try {
    return await ended(child, file)
  } finally {
    process.off('exit', leaveNoOrphan)
  }
}

function ended(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(notRun(error, file)))
    child.once('close', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}

function notRun(error: NodeJS.ErrnoException, file: string): CliError {
  if (error.code === 'ENOENT') {
    return new CliError('command-not-found', `${file}: command not found`, { cause: error })
  }
  const reason = error.code === 'EACCES' ? 'permission denied' : error.message
  return new CliError('command-not-runnable', `${file}: cannot be run: ${reason}`, { cause: error })
}
