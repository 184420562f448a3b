/** @returns a function that runs each work after the ones before it have ended, failed ones too */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = turn.then(work)
    turn = result.catch(() => {})
    return result
  }
}
