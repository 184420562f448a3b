import { type Environment, withoutQuotes } from '../../system/environment.ts'
import { reasonOf } from '../../system/system-errors.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { CliError } from '../failures/cli-error.ts'
import { describeFailure, type Failure } from '../failures/failure.ts'
import type { Verbosity } from '../output/events.ts'

export interface Io {
  readonly env: Environment
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

export type HostProcess = Io & Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid' | 'exit'>

export function verbosityOf({ quiet = false, verbose = false, debug }: GlobalFlags, env: Environment): Verbosity {
  return { quiet, verbose, debug: debug ?? isOn(env['FH_DEBUG']) }
}

/** Whether a variable that is a switch is on: set, and neither empty, 0 nor false. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false)$/i.test(withoutQuotes(value))
}

/** Why stdout takes no more: its reader has closed it, which is not an error, or a write failed. */
export type OutputEnd = 'output-closed' | 'output-failed'

export type GuardedOutput = ReturnType<typeof guardOutput>

/** Wraps stdout and stderr: `fh list --all | head` ends without an error, a full disk with one. */
export function guardOutput(io: Io, onEnd: (end: OutputEnd) => void) {
  let ended = false
  let written: Promise<void> | undefined
  let failure: CliError | undefined
  const end = (error: NodeJS.ErrnoException) => {
    if (ended) return
    ended = true
    if (error.code !== 'EPIPE') {
      failure = new CliError('output-failed', `Standard output cannot be written: ${reasonOf(error)}`, { cause: error })
    }
    onEnd(failure === undefined ? 'output-closed' : 'output-failed')
  }
  io.stdout.on('error', end)
  io.stderr.on('error', () => {})
  return {
    io,
    stdout: (text: string) => {
      if (ended) return
      // Bun calls back for a later write before this one has failed, and knows no failure before its callback.
      written = new Promise<void>((resolve) => {
        io.stdout.write(text, (error) => resolve(error ? end(error) : undefined))
      })
    },
    stderr: (text: string) => void io.stderr.write(text),
    async flush(): Promise<Failure | undefined> {
      await written
      return failure && describeFailure(failure)
    },
  }
}
