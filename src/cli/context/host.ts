import { type Environment, withoutQuotes } from '../../system/environment.ts'
import { reasonOf } from '../../system/system-errors.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { CliError } from '../failures/cli-error.ts'
import type { Verbosity } from '../output/events.ts'

export interface Io {
  readonly env: Environment
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

export type HostProcess = Io & Pick<NodeJS.Process, 'on' | 'off' | 'exit'>

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

/** Guards stdout and stderr: `fh list --all | head` ends without an error, a full disk with one. */
export function guardOutput({ stdout, stderr }: Io, onEnd: (end: OutputEnd) => void) {
  let written: Promise<void> | undefined
  let failure: NodeJS.ErrnoException | undefined
  const end = (error: NodeJS.ErrnoException) => {
    if (failure !== undefined) return
    failure = error
    onEnd(error.code === 'EPIPE' ? 'output-closed' : 'output-failed')
  }
  stdout.on('error', end)
  stderr.on('error', () => {})
  return {
    stdout(text: string) {
      if (failure !== undefined) return
      // Bun calls back for a later write before this one has failed, and knows no failure before its callback.
      written = new Promise<void>((resolve) => {
        stdout.write(text, (error) => resolve(error ? end(error) : undefined))
      })
    },
    stderr: (text: string) => void stderr.write(text),
    /** @returns why not all was written, where the reader still reads */
    async flush(): Promise<CliError | undefined> {
      await written
      if (failure === undefined || failure.code === 'EPIPE') return undefined
      return new CliError('output-failed', `Standard output cannot be written: ${reasonOf(failure)}`, {
        cause: failure,
      })
    },
  }
}
