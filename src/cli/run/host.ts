import { reasonOf } from '../../system/system-errors.ts'
import { CliError } from '../failures/cli-error.ts'
import type { Output } from '../output/reporter.ts'

/** What a process gives a command to work with. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** With word of its signals, a way to send itself one, and the way out. */
export type HostProcess = Io & Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid' | 'exit'>

/** Why nothing more can be printed: the reader has gone, which is no error, or the text cannot be kept. */
export type OutputEnd = 'output-closed' | 'output-failed'

export interface GuardedOutput extends Output {
  /** Tells when stdout takes nothing more. */
  onEnd(listener: (end: OutputEnd) => void): void
  /** Resolves when all that was printed has been taken, or cannot be; with the reason where that is an error. */
  flush(): Promise<CliError | undefined>
}

/** A reader that stops reading is no error: `fh list --all | head` ends quietly. A disk that is full is one. */
export function guardOutput({ stdout, stderr }: Io): GuardedOutput {
  const listeners: ((end: OutputEnd) => void)[] = []
  let used = false
  let ended = false
  let failure: CliError | undefined

  function end(error: NodeJS.ErrnoException): void {
    if (ended) return
    ended = true
    if (error.code !== 'EPIPE') failure = outputError(error)
    for (const listener of listeners) listener(failure === undefined ? 'output-closed' : 'output-failed')
  }

  stdout.on('error', end)
  stderr.on('error', () => {})
  return {
    stdout: (text) => {
      used = true
      if (!ended) stdout.write(text)
    },
    stderr: (text) => {
      stderr.write(text)
    },
    onEnd: (listener) => {
      listeners.push(listener)
    },
    async flush() {
      // Nothing is written, not even nothing, to an output that belongs to somebody else.
      if (used && !ended) await new Promise((resolve) => stdout.write('', resolve))
      return failure
    },
  }
}

function outputError(error: NodeJS.ErrnoException): CliError {
  return new CliError('output-failed', `Standard output cannot be written: ${reasonOf(error)}`, { cause: error })
}
