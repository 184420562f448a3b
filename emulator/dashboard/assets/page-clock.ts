/** Calls a function after so many milliseconds of the browser's time. */
export function later(ms: number, run: () => unknown): void {
  setTimeout(run, ms)
}
