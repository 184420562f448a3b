import type { Output } from './reporter.ts'

/** What a process gives a command to work with. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** With word of its signals. */
export type HostProcess = Io & Pick<NodeJS.Process, 'on' | 'off'>

export interface GuardedOutput extends Output {
  /** Tells when nobody reads stdout any more. */
  onClosed(listener: () => void): void
}

/** A reader that stops reading is no error: `fh list --all | head` ends quietly. */
export function guardOutput({ stdout, stderr }: Io): GuardedOutput {
  const listeners: (() => void)[] = []
  let open = true
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    open = false
    for (const listener of listeners) listener()
  })
  stderr.on('error', () => {})
  return {
    stdout: (text) => {
      if (open) stdout.write(text)
    },
    stderr: (text) => {
      stderr.write(text)
    },
    onClosed: (listener) => {
      listeners.push(listener)
    },
  }
}
