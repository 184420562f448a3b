/**
 * The system's own, as it was when this was loaded: a test that fakes the timers means those of the program it tests,
 * and without turns the emulator would stand still for ever.
 */
const { setImmediate: runSoon } = globalThis

/** Runs something in the next turn of the event loop, once every promise continuation that is ready has run. */
export function inNextTurn(run: () => void): void {
  runSoon(run)
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => runSoon(resolve))
}

/**
 * Keeps what is answered without a turn of the event loop from holding it up: a program that asks again and again would
 * otherwise keep its own timers, and the emulator's, from ever firing.
 *
 * @param most how often in one turn; more than a client asks between two moments of a virtual clock
 * @returns to be called each time; a promise where it is time for a turn
 */
export function createTurnTaking(most = 1_000): () => Promise<void> | undefined {
  let times = 0
  const begin = () => {
    times = 0
  }
  return () => {
    if (times === 0) inNextTurn(begin)
    times += 1
    return times > most ? nextTurn() : undefined
  }
}
