/** A program and its arguments. */
export type ProgramCall = readonly [program: string, ...args: readonly string[]]

interface Bounds {
  readonly memoryBytes: number
  /** Of the processor, for one that outlives this process; no bound unless given. */
  readonly seconds?: number
}

/**
 * The same program, but what it may keep in memory is bounded. The limit is the one of written memory, for what is only
 * reserved can be far more; Windows has none, and there a program is bounded by time alone.
 */
export function boundedProgram([program, ...args]: ProgramCall, { memoryBytes, seconds }: Bounds): ProgramCall {
  if (process.platform === 'win32') return [program, ...args]
  const limits = [`-d ${Math.floor(memoryBytes / 1_024)}`, '-c 0', ...(seconds === undefined ? [] : [`-t ${seconds}`])]
  const script = `${limits.map((limit) => `ulimit ${limit} 2>/dev/null; `).join('')}exec "$0" "$@"`
  return ['/bin/sh', '-c', script, program, ...args]
}
