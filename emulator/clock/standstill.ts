/** A clock that stands although a client waits for it. */
export interface Standstill {
  /** ISO 8601: the time at which the clock stands. */
  readonly now: string
  /** ISO 8601: when the client's next request would have quota; undefined if that is not what it waits for. */
  readonly until: string | undefined
}

/** One line that names both ways out. */
export function standstillNotice({ now, until }: Standstill): string {
  const awaited = until === undefined ? '' : ` until ${until}`
  return `The emulator's clock stands still at ${now}, and a client waits for it${awaited}: give the client \`clock: emulator.clock\`, and the emulator \`clock: 'auto'\`, which moves for its sleepers; or move the clock: \`emulator.control.clock.advance('1m')\``
}

/** Writes the notice to stderr. */
export function reportStandstill(standstill: Standstill): void {
  process.stderr.write(`${standstillNotice(standstill)}\n`)
}

/** How long a client may wait before the clock counts as standing, in milliseconds of real time. */
export const patienceMs = 1_000

export interface SleepWatch {
  /** Where the clock stands, in epoch milliseconds; undefined if it moves or is not waited for. */
  position(): number | undefined
  /** Called once, if the clock still stands there a second later. */
  onStandstill(standstill: Standstill): void
  /** Runs a function after so many milliseconds. */
  later(ms: number, run: () => void): void
}

/** @returns a function to call whenever a sleep begins */
export function watchSleeps({ position, onStandstill, later }: SleepWatch): () => void {
  let isWaiting = false
  const look = () => {
    const before = position()
    if (isWaiting || before === undefined) return
    isWaiting = true
    later(patienceMs, () => {
      if (position() === before) return onStandstill({ now: new Date(before).toISOString(), until: undefined })
      isWaiting = false
      look()
    })
  }
  return look
}
