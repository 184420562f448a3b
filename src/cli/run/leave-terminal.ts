import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'

const standardStreams = [0, 1, 2] as const

/**
 * Closes the standard streams that lead to a terminal, if others lead to a pipe or a file. To be called as the process
 * exits. Node sets terminals of standard streams back to the state that they had when the process started. In a pipeline
 * that is wrong: in `fh list | fzf` it takes the keyboard from fzf, and after `fzf | fh delete --from-stdin` the shell would
 * get the state that fzf had set.
 */
export function leaveTerminal(): void {
  const terminals = standardStreams.filter((descriptor) => isatty(descriptor))
  if (terminals.length === standardStreams.length) return
  for (const descriptor of terminals) {
    try {
      closeSync(descriptor)
    } catch {
      // It has been closed already.
    }
  }
}
