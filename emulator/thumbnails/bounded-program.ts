/** A program and its arguments. */
export type ProgramCall = readonly [program: string, ...args: readonly string[]]

/**
 * The same program, but what it may keep in memory is bounded. The limit is the one of written memory, for what is only
 * reserved can be far more; Windows has none, and there a program is bounded by time alone.
 */
export function boundedProgram([program, ...args]: ProgramCall, mostBytes: number): ProgramCall {
  if (process.platform === 'win32') return [program, ...args]
  const limit = `ulimit -d ${Math.floor(mostBytes / 1_024)} 2>/dev/null; ulimit -c 0 2>/dev/null; exec "$0" "$@"`
  return ['/bin/sh', '-c', limit, program, ...args]
}
