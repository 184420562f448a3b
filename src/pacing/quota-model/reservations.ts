/** A reservation that has not been settled. */
export interface Reservation {
  readonly sentAt: number
  /** What it costs by the spec, and what is reserved for it, in units. */
  readonly nominal: number
  readonly units: number
  /** Whether it was let through to find out whether a refusal still holds. */
  readonly isProbe: boolean
  /** Whether the clock was set while it was under way: when it was sent is not known any more. */
  readonly isUndated?: boolean
}

/** Requests that are under way, by their ids. */
export function createReservations() {
  const open = new Map<string, Reservation>()
  let units = 0

  return {
    enter(id: string, reservation: Reservation): void {
      open.set(id, reservation)
      units += reservation.units
    },
    /** Ends one; undefined where it has ended before. */
    take(id: string): Reservation | undefined {
      const reservation = open.get(id)
      if (reservation && open.delete(id)) units -= reservation.units
      return reservation
    },
    /** The clock was set. */
    undate(): void {
      for (const [id, reservation] of open) open.set(id, { ...reservation, isUndated: true })
    },
    /** Units of all of them. */
    units: () => units,
    isProbing: () => [...open.values()].some(({ isProbe }) => isProbe),
  }
}
