/** Calls a function after so many milliseconds of the browser's time. */
export function later(ms: number, run: () => unknown): void {
  setTimeout(run, ms)
}

/** Milliseconds since some instant, which no setting of a clock moves. */
export const steadyMs = (): number => performance.now()
