/** A program and its arguments. */
export type ProgramCall = readonly [program: string, ...args: readonly string[]]

interface Bounds {
  readonly memoryBytes: number
  /** CPU time, in case the program outlives this process; unlimited by default. */
  readonly seconds?: number
}

/**
 * Runs a program with a memory limit. It limits written memory, since reserved memory can be far larger. Windows has no
 * such limit; there only time limits apply.
 */
export function boundedProgram([program, ...args]: ProgramCall, { memoryBytes, seconds }: Bounds): ProgramCall {
  if (process.platform === 'win32') return [program, ...args]
  const limits = [`-d ${Math.floor(memoryBytes / 1_024)}`, '-c 0', ...(seconds === undefined ? [] : [`-t ${seconds}`])]
  const script = `${limits.map((limit) => `ulimit ${limit} 2>/dev/null; `).join('')}exec "$0" "$@"`
  return ['/bin/sh', '-c', script, program, ...args]
}
