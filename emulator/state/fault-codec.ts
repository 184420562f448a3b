import type { ArmedFault } from '../faults/fault-book.ts'
import { type GivenFault, parseFaults } from '../faults/fault-parser.ts'
import { isObject, listOf, refuse, SnapshotError, wholeNumber } from '../values/codec.ts'

const counts = listOf<{ readonly seen: number; readonly struck: number; readonly fault: unknown }>({
  accepts: 'an object with match, times, action, seen and struck',
  write: (value) => value,
  read(found, at) {
    if (!isObject(found)) return refuse(at, 'an object with match, times, action, seen and struck', found)
    const { seen, struck, ...fault } = found
    return { seen: wholeNumber.read(seen, `${at}.seen`), struck: wholeNumber.read(struck, `${at}.struck`), fault }
  },
})

/**
 * Reads the faults of a snapshot with their counts. Snapshots of older releases have no faults.
 * @throws SnapshotError
 */
export function readFaults(found: unknown): readonly ArmedFault[] {
  if (found === undefined) return []
  const given = counts.read(found, 'faults')
  try {
    const faults = parseFaults(given.map(({ fault }) => fault as GivenFault))
    return given.flatMap(({ seen, struck }, at) => {
      const fault = faults[at]
      return fault === undefined ? [] : [{ ...fault, seen, struck }]
    })
  } catch (error) {
    throw new SnapshotError(`The snapshot's faults: ${(error as Error).message}`, { cause: error })
  }
}
