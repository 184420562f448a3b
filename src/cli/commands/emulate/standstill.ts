import type { Clock } from '../../../index.ts'

interface LoggedCall {
  readonly method: string
  readonly account_id: number | null
}

type CostClass = 'upload' | 'delete' | 'other'

/** As much of an emulator as has to be known to tell that its clock stands still. */
export interface StandingEmulator {
  readonly control: {
    readonly clock: { get(): { readonly now: string; readonly mode: string } }
    readonly accounts: {
      quota(id: number): Readonly<Record<string, { readonly fits_at: Readonly<Record<CostClass, string | null>> }>>
    }
    readonly requests: {
      stream(
        filter: object,
        options: { readonly signal: AbortSignal },
      ): AsyncIterable<
        | { readonly event: 'request'; readonly request: LoggedCall }
        | { readonly event: 'missed'; readonly count: number }
      >
    }
  }
}

export interface StandstillWatch {
  readonly emulator: StandingEmulator
  readonly controlUrl: string
  /** By which clients wait, and not the emulator. */
  readonly clock: Clock
  readonly tell: (standstill: Standstill) => void
}

export interface Standstill {
  readonly text: string
  readonly hint: string
}

/** A client that waits for quota has been quiet for so long. */
const quietMs = 1_000

/**
 * Tells once where a client has been quiet for a second of real time, a request like its last one has no quota, and the
 * virtual clock, on which the quota would come back, has not moved meanwhile.
 * @returns ends it
 */
export function watchStandstill({ emulator, controlUrl, clock, tell }: StandstillWatch): () => Promise<void> {
  const { control } = emulator
  const ended = new AbortController()

  const look = async (request: LoggedCall, signal: AbortSignal) => {
    const before = control.clock.get()
    await clock.sleep(quietMs, signal)
    const { now, mode } = control.clock.get()
    const until = fitsAt(request, control)
    if (ended.signal.aborted || mode !== 'virtual' || now !== before.now || until === undefined || until <= now) return
    ended.abort()
    tell({
      text: `The virtual clock stands still at ${now}, and a client may wait for quota until ${until}`,
      hint: `advance it (POST ${controlUrl}/clock), or run with --clock system`,
    })
  }

  const follow = async () => {
    let quiet = new AbortController()
    for await (const event of control.requests.stream({}, { signal: ended.signal })) {
      quiet.abort()
      quiet = new AbortController()
      if (event.event === 'request') look(event.request, AbortSignal.any([quiet.signal, ended.signal])).catch(() => {})
    }
  }

  // A log that cannot be followed is a store that has failed, which the emulator tells of itself.
  const following = follow().catch(() => {})
  return () => {
    ended.abort()
    return following
  }
}

/** When all windows have room for a request like this one; undefined where that is never, or nobody's. */
function fitsAt({ method, account_id }: LoggedCall, { accounts }: StandingEmulator['control']): string | undefined {
  if (account_id === null) return undefined
  const instants = Object.values(accounts.quota(account_id)).map(({ fits_at }) => fits_at[classOf(method)])
  // Instants of one form and one time zone are in the order of their texts.
  return instants.includes(null) ? undefined : (instants as readonly string[]).toSorted().at(-1)
}

function classOf(method: string): CostClass {
  if (method === 'POST') return 'upload'
  return method === 'DELETE' ? 'delete' : 'other'
}
