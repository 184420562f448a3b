import { type FaultType, type FaultTypeInfo, faultTypes } from '../faults/fault.ts'
import { type ArmedFault, type FaultBook, newlyArmed } from '../faults/fault-book.ts'
import { type GivenFault, parseFault, parseFaults } from '../faults/fault-parser.ts'
import { MissingRecordError } from '../service/refusal.ts'

/** A type of fault and its description. */
export interface FaultTypeListing extends FaultTypeInfo {
  readonly type: FaultType
}

export function createFaultControl(book: FaultBook) {
  return {
    /** The faults in force, in order, with their counts. */
    list: () => book.list(),
    /**
     * Replaces all faults; the new ones count from zero.
     * @throws TypeError naming the fault, the field and what it takes; nothing changes then
     */
    set(faults: readonly GivenFault[]): readonly ArmedFault[] {
      book.load(parseFaults(faults).map(newlyArmed))
      return book.list()
    },
    /**
     * Adds a fault behind the others, which stay as they are: tests that run at the same time add and remove their own.
     * @returns the fault with its id
     * @throws TypeError naming the field and what it takes
     */
    add: (fault: GivenFault): ArmedFault => book.add(newlyArmed(parseFault(fault))),
    /**
     * Takes one fault away.
     * @throws MissingRecordError if there is none with this id
     */
    remove(id: number): { readonly deleted: true } {
      if (!book.remove(id)) throw new MissingRecordError('fault', id)
      return { deleted: true }
    },
    clear(): { readonly deleted: number } {
      const deleted = book.list().length
      book.load([])
      return { deleted }
    },
    /** Every type with its parameters and its effect, on a connection and in-process. */
    types: (): readonly FaultTypeListing[] => typeListings,
  }
}

/** Injected failures: deterministic, marked in the log, without effect on the control API. */
export type FaultControl = ReturnType<typeof createFaultControl>

const typeListings = (Object.keys(faultTypes) as FaultType[]).map((type) => ({ type, ...faultTypes[type] }))
