import { createQueue } from '../../system/queue.ts'
import { FleetProblem } from './redis-link.ts'

/**
 * @returns a function that runs each work after the ones before it have ended. Work that waited for one that met a
 * FleetProblem fails with it, since each could take a second to find out the same.
 */
export function createFleetTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const inTurn = createQueue()
  let latest: { readonly problem: FleetProblem } | undefined
  return (work) => {
    const before = latest
    return inTurn(async () => {
      if (latest !== undefined && latest !== before) throw latest.problem
      try {
        return await work()
      } catch (error) {
        if (error instanceof FleetProblem) latest = { problem: error }
        throw error
      }
    })
  }
}
