import { FleetProblem } from './redis-link.ts'

/**
 * @returns a function that runs each work after the ones before it have ended. Work that waited for one that met a
 * FleetProblem fails with it, since each could take a second to find out the same.
 */
export function createFleetTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve()
  let latest: { readonly problem: FleetProblem } | undefined

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof FleetProblem) latest = { problem: error }
      throw error
    }
  }

  return (work) => {
    const before = latest
    const result = turn.then(() => {
      if (latest !== undefined && latest !== before) throw latest.problem
      return attempt(work)
    })
    turn = result.catch(() => {})
    return result
  }
}
