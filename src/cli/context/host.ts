import type { Environment } from '../../system/environment.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { CliError } from '../failures/cli-error.ts'

/** The environment and streams of a command. */
export interface Io {
  readonly env: Environment
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** {@link Io}, with signals and exit. */
export type HostProcess = Io & Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid' | 'exit'>

/** Why stdout takes no more: its reader has closed it, which is not an error, or a write failed. */
export type OutputEnd = 'output-closed' | 'output-failed'

/** Writes to stdout without its stream, which takes a while to make. @returns what stdout has not taken */
export type WriteAtOnce = (text: string) => Uint8Array

/** Wraps stdout and stderr: `fh list --all | head` ends without an error, a full disk with one. */
export function guardOutput(io: Pick<Io, 'stdout' | 'stderr'>, writeAtOnce?: WriteAtOnce) {
  const listeners: ((end: OutputEnd) => void)[] = []
  let ended = false
  let written: Promise<void> | undefined
  let failure: CliError | undefined
  let streams: Pick<Io, 'stdout' | 'stderr'> | undefined

  function opened(): Pick<Io, 'stdout' | 'stderr'> {
    if (streams !== undefined) return streams
    streams = { stdout: io.stdout, stderr: io.stderr }
    streams.stdout.on('error', end)
    streams.stderr.on('error', () => {})
    return streams
  }

  function end(error: NodeJS.ErrnoException): void {
    if (ended) return
    ended = true
    if (error.code !== 'EPIPE') {
      failure = new CliError('output-failed', `Standard output cannot be written: ${reasonOf(error)}`, { cause: error })
    }
    for (const listener of listeners) listener(failure === undefined ? 'output-closed' : 'output-failed')
  }

  return {
    stdout: (text: string) => {
      if (ended) return
      const left = streams === undefined && writeAtOnce !== undefined ? writeAtOnce(text) : text
      if (left.length === 0) return
      const { stdout } = opened()
      // Bun calls back for a later write before this one has failed, and knows no failure before its callback.
      written = new Promise<void>((resolve) => {
        stdout.write(left, (error) => resolve(error ? end(error) : undefined))
      })
    },
    stderr: (text: string) => {
      opened().stderr.write(text)
    },
    /** Calls the listener when stdout takes no more. */
    onEnd: (listener: (end: OutputEnd) => void) => {
      opened()
      listeners.push(listener)
    },
    /** Resolves when stdout is flushed or has ended; with the error of a failed write. */
    async flush(): Promise<CliError | undefined> {
      await written
      return failure
    },
  }
}

export type GuardedOutput = ReturnType<typeof guardOutput>
