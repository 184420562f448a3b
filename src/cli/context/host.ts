import { mayBeTerminal, takesAtOnce } from '../../system/devices.ts'
import type { Environment } from '../../system/environment.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { CliError } from '../failures/cli-error.ts'

interface Streams {
  readonly env: Environment
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** The environment and streams of a command. An output stream is made at its first use, which takes half a millisecond. */
export interface Io extends Streams {
  /** Makes the stream only where it may be a terminal. */
  isTerminal(name: keyof typeof descriptors): boolean
}

const descriptors = { stdout: 1, stderr: 2 } as const

/** The environment, streams, signals and exit of a process. */
export type HostProcess = Streams & Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid' | 'exit'>

/** Why stdout takes no more: its reader has closed it, which is not an error, or a write failed. */
export type OutputEnd = 'output-closed' | 'output-failed'

/** Writes to stdout without its stream, which takes a while to make. @returns what stdout has not taken */
export type WriteAtOnce = (text: string) => Uint8Array

/** Wraps stdout and stderr: `fh list --all | head` ends without an error, a full disk with one. */
export function guardOutput(host: Streams, writeAtOnce?: WriteAtOnce) {
  const listeners: ((end: OutputEnd) => void)[] = []
  let ended = false
  let written: Promise<void> | undefined
  let failure: CliError | undefined
  let stdout: NodeJS.WriteStream | undefined
  let stderr: NodeJS.WriteStream | undefined
  const io: Io = {
    env: host.env,
    get stdin() {
      return host.stdin
    },
    get stdout() {
      stdout ??= host.stdout.on('error', end)
      return stdout
    },
    get stderr() {
      stderr ??= host.stderr.on('error', () => {})
      return stderr
    },
    isTerminal: (name) => (host !== process || mayBeTerminal(descriptors[name])) && io[name].isTTY === true,
  }

  /** While a command runs, nothing may wait for a reader but a stream: no signal would reach the command. */
  function writtenAtOnce(text: string): string | Uint8Array {
    const isAllowed = stdout === undefined && (listeners.length === 0 || takesAtOnce(descriptors.stdout))
    return isAllowed && writeAtOnce !== undefined ? writeAtOnce(text) : text
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
    io,
    stdout: (text: string) => {
      if (ended) return
      const left = writtenAtOnce(text)
      if (left.length === 0) return
      const stream = io.stdout
      // Bun calls back for a later write before this one has failed, and knows no failure before its callback.
      written = new Promise<void>((resolve) => {
        stream.write(left, (error) => resolve(error ? end(error) : undefined))
      })
    },
    stderr: (text: string) => {
      io.stderr.write(text)
    },
    /** Calls the listener when stdout takes no more. */
    onEnd: (listener: (end: OutputEnd) => void) => {
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
