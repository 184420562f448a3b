import { inNextTurn, nextTurn } from '../../src/system/next-turn.ts'

/**
 * Limits how many requests are answered in one turn of the event loop: a program that sends requests in a loop would
 * otherwise keep every timer from firing.
 *
 * @param most requests per turn; the default exceeds what a client sends between two moments of a virtual clock
 * @returns a function to call for each request; it returns a promise to wait for once the limit is reached
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
