import { afterRealTime } from '../clock/clock.ts'
import { patienceMs, type Standstill } from '../clock/standstill.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import type { RequestRecord } from '../storage/record-types.ts'

interface StandstillWatch extends Pick<EmulatorParts, 'records' | 'service' | 'clock'> {
  readonly onStandstill: (standstill: Standstill) => void
  /** Whether clients may be elsewhere. One of this process that waits sleeps on the clock, or has nothing more to do. */
  readonly isListening: () => boolean
}

/**
 * Looks in the requests for a client that waits for quota while the clock stands: one elsewhere that sends nothing for a
 * second of real time although another request like its last one would be refused, or one that is refused twice at the same instant.
 */
export function watchStandstill({ records, service, clock, onStandstill, isListening }: StandstillWatch) {
  const refusedAt = new Map<number, number>()
  /** Whether it was told, or the emulator is closed. */
  let isOver = false
  let stop = () => {}

  /** When all windows have room for a request like this one; undefined if they have it now, or never. */
  const roomAt = ({ method, accountId }: RequestRecord): number | undefined => {
    const account = accountId === null ? undefined : records.accounts.get(accountId)
    if (account === undefined) return undefined
    const instants = Object.values(service.quota.report(account, clock.now())).map(
      ({ fitsAt }) => fitsAt[classOf(method)],
    )
    const room = Math.max(...instants.map((instant) => instant ?? Number.POSITIVE_INFINITY))
    return room > clock.now() && room < Number.POSITIVE_INFINITY ? room : undefined
  }

  const report = (request: RequestRecord) => {
    const room = roomAt(request)
    if (room === undefined) return
    isOver = true
    onStandstill({ now: new Date(clock.now()).toISOString(), until: new Date(room).toISOString() })
  }

  const reportLater = (request: RequestRecord, now: number) => {
    stop = afterRealTime(patienceMs, () => {
      if (clock.mode !== 'system' && clock.now() === now) report(request)
    })
  }

  const seeRefusal = (request: RequestRecord, accountId: number, now: number) => {
    // A test may only want to see a refusal; a client that waits comes back.
    if (refusedAt.get(accountId) !== now) refusedAt.set(accountId, now)
    else if (clock.mode === 'virtual') report(request)
    else reportLater(request, now)
  }

  return {
    /** Call for every request while the clock may stand. It is told once. */
    see(request: RequestRecord): void {
      if (isOver) return
      stop()
      const { accountId, status } = request
      if (status !== 429 && isListening()) reportLater(request, clock.now())
      if (status === 429 && accountId !== null) seeRefusal(request, accountId, clock.now())
    },
    /** Nothing is told from now on, of requests that end later either. */
    stop() {
      isOver = true
      stop()
    },
  }
}

function classOf(method: string): 'upload' | 'delete' | 'other' {
  if (method === 'POST') return 'upload'
  return method === 'DELETE' ? 'delete' : 'other'
}
