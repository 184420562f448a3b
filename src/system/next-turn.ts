import { setImmediate } from 'node:timers'

/** Saved, because test tools replace the function with one that never calls back; from Node, because jsdom has none. */
const atNextTurn = setImmediate

/** Runs a function in the next turn of the event loop, after every ready promise continuation. */
export function inNextTurn(run: () => void): void {
  atNextTurn(run)
}

/** Resolves in the next turn of the event loop, which then has handled what has arrived, such as an answer. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => atNextTurn(resolve))
}
