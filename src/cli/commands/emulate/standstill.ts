import type { Control, Emulator, RequestInfo, WindowInfo } from '../../../../emulator/index.ts'
import type { Clock } from '../../../index.ts'

export interface StandstillWatch {
  readonly emulator: Pick<Emulator, 'control'>
  /** The real clock, which clients wait by; not the emulator's. */
  readonly clock: Clock
  readonly onStandstill: (standstill: Standstill) => void
}

/** Times are ISO 8601, on the virtual clock. */
export interface Standstill {
  readonly now: string
  /** When the client's next request would have quota. */
  readonly until: string
}

/** A client that sends nothing for this long may be waiting for quota. */
const quietMs = 1_000

/**
 * Reports once if a client seems to wait for quota on a virtual clock that stands still: it has sent nothing for a second
 * of real time, another request like its last one would be refused, and the clock has not moved meanwhile.
 * @returns stops watching
 */
export function watchStandstill({ emulator, clock, onStandstill }: StandstillWatch): () => Promise<void> {
  const { control } = emulator
  const ended = new AbortController()

  const look = async (request: RequestInfo, signal: AbortSignal) => {
    const before = control.clock.get()
    await clock.sleep(quietMs, signal)
    const { now, mode } = control.clock.get()
    const until = fitsAt(request, control)
    if (ended.signal.aborted || mode !== 'virtual' || now !== before.now || until === undefined || until <= now) return
    ended.abort()
    onStandstill({ now, until })
  }

  const follow = async () => {
    let quiet = new AbortController()
    for await (const event of control.requests.stream({}, { signal: ended.signal })) {
      quiet.abort()
      quiet = new AbortController()
      if (event.event === 'request') look(event.request, AbortSignal.any([quiet.signal, ended.signal])).catch(() => {})
    }
  }

  // Following fails only if the store has failed, which the emulator reports itself.
  const following = follow().catch(() => {})
  return () => {
    ended.abort()
    return following
  }
}

/** When all windows have room for a request like this one; undefined if never, or if it has no account. */
function fitsAt({ method, account_id }: RequestInfo, { accounts }: Control): string | undefined {
  if (account_id === null) return undefined
  const instants = Object.values(accounts.quota(account_id)).map(({ fits_at }) => fits_at[classOf(method)])
  // ISO 8601 texts in one time zone sort by time.
  return instants.includes(null) ? undefined : (instants as readonly string[]).toSorted().at(-1)
}

function classOf(method: string): keyof WindowInfo['fits_at'] {
  if (method === 'POST') return 'upload'
  return method === 'DELETE' ? 'delete' : 'other'
}
