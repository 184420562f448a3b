import type { FaultType } from '../faults/fault.ts'
import { type ArmedFault, armed, type FaultBook } from '../faults/fault-book.ts'
import { type GivenFault, parseFaults } from '../faults/fault-parser.ts'
import { type FaultTypeInfo, faultTypes } from '../faults/fault-types.ts'

/** A type of fault as the control API tells it. */
export interface FaultTypeListing extends FaultTypeInfo {
  readonly type: FaultType
}

/** Failures to order: deterministic, marked in the log, and never met by the control API or the website. */
export interface FaultControl {
  /** The faults that are set, in their order, with what each has seen. */
  list(): readonly ArmedFault[]
  /**
   * Puts these in the place of all faults; they count from now on.
   * @throws TypeError saying of which fault which field takes what; no fault is changed then
   */
  set(faults: readonly GivenFault[]): readonly ArmedFault[]
  clear(): { readonly deleted: number }
  /** Every type there is, with its parameters and what becomes of it on a connection and in the same process. */
  types(): readonly FaultTypeListing[]
}

export function createFaultControl(book: FaultBook): FaultControl {
  return {
    list: book.list,
    set(faults) {
      book.load(parseFaults(faults).map(armed))
      return book.list()
    },
    clear() {
      const deleted = book.list().length
      book.load([])
      return { deleted }
    },
    types: () => typeListings,
  }
}

const typeListings = (Object.keys(faultTypes) as FaultType[]).map((type) => ({ type, ...faultTypes[type] }))
