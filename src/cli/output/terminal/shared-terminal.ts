import { fstatSync, type Stats } from 'node:fs'

const STDIN = 0
const STDOUT = 1

/**
 * Whether other processes probably write to the same terminal: the reader of a pipe on stdout, such as `tee`, or the
 * other commands of `xargs -P`, which sets stdin to the null device.
 */
export function isTerminalShared({ stdin }: { readonly stdin: { readonly isTTY?: boolean } }): boolean {
  const leadsThroughPipe = is(STDOUT, (output) => output.isFIFO() || output.isSocket())
  const hasNullInput = stdin.isTTY !== true && is(STDIN, (input) => input.isCharacterDevice())
  return leadsThroughPipe || hasNullInput
}

function is(descriptor: number, holds: (stats: Stats) => boolean): boolean {
  try {
    return holds(fstatSync(descriptor))
  } catch {
    // The stream is closed.
    return false
  }
}
