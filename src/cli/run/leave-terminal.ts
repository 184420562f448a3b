import { closeSync, fstatSync } from 'node:fs'

const standardStreams = [0, 1, 2] as const

/**
 * Closes the standard streams that lead to a terminal, if others lead to a pipe or a file. To be called as the process
 * exits. Node sets terminals of standard streams back to the state that they had when the process started. In a pipeline
 * that is wrong: in `fh list | fzf` it takes the keyboard from fzf, and after `fzf | fh delete --from-stdin` the shell would
 * get the state that fzf had set.
 */
export function leaveTerminal(): void {
  const terminals = standardStreams.filter(isDevice)
  if (terminals.length === standardStreams.length) return
  for (const descriptor of terminals) {
    try {
      closeSync(descriptor)
    } catch {
      // It has been closed already.
    }
  }
}

/** A terminal, or the null device, which may be closed too; node:tty would have to be loaded to tell them apart. */
function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice()
  } catch {
    return false
  }
}
