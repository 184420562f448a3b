/** A request that was let through and has not ended. */
export interface Reservation {
  readonly sentAt: number
  /** Its price by the spec, in units. */
  readonly nominal: number
  /** What is reserved for it, in units. */
  readonly units: number
  /** Whether it was sent to find out whether a refusal still holds. */
  readonly isProbe: boolean
  /** Whether the clock was set while it was under way, so that `sentAt` cannot be compared with later times. */
  readonly isUndated?: boolean
}

/** Requests under way, by their ids. */
export function createReservations() {
  const open = new Map<string, Reservation>()
  let units = 0

  return {
    enter(id: string, reservation: Reservation): void {
      open.set(id, reservation)
      units += reservation.units
    },
    /** Removes a reservation; undefined if it has ended before. */
    take(id: string): Reservation | undefined {
      const reservation = open.get(id)
      if (reservation && open.delete(id)) units -= reservation.units
      return reservation
    },
    /** The clock was set. */
    undate(): void {
      for (const [id, reservation] of open) open.set(id, { ...reservation, isUndated: true })
    },
    /** The sum of all reservations. */
    units: () => units,
    isProbing: () => [...open.values()].some(({ isProbe }) => isProbe),
  }
}
