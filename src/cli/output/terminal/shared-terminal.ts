import { fstatSync, type Stats } from 'node:fs'

const STDIN = 0
const STDOUT = 1

/**
 * Whether others are likely to write to this process's terminal between its lines: whoever reads its output through a
 * pipe, as `tee` does, and the other commands of an `xargs -P`, which gives each the null device for input.
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
    // It was closed before this process was started.
    return false
  }
}
