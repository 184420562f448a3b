import { createHmac, hash, randomBytes } from 'node:crypto'
import type { EmulatorClock } from '../../clock/clock.ts'
import type { RecordStore } from '../../storage/record-store.ts'
import type { SessionRecord } from '../../storage/records.ts'
import { MissingRecordError } from '../refusal.ts'

/** A browser that is signed in. */
export interface Session {
  /** Names the session in memory; the id cannot be found from it. */
  readonly idHash: string
  readonly accountId: number
  /** Epoch milliseconds of the service's clock. */
  readonly expiresAt: number
  /** Secret of the session's form tokens, derived from its id and stored nowhere. */
  readonly formSecret: string
}

const lifeMs = 30 * 24 * 3_600_000
/** Of one account; one more ends the oldest. */
const mostSessions = 100

const idPattern = /^[\w-]{43}$/

export interface SessionsParts {
  readonly records: Pick<RecordStore, 'accounts' | 'sessions'>
  readonly clock: Pick<EmulatorClock, 'now'>
  /** Called when a session ends other than by its age. */
  readonly onEnd: (idHash: string) => void
}

export function createSessions({ records, clock, onEnd }: SessionsParts) {
  const { accounts, sessions } = records

  const endRecord = ({ idHash }: Pick<SessionRecord, 'idHash'>) => {
    sessions.remove(idHash)
    onEnd(idHash)
  }
  const lasting = (idHash: string): SessionRecord | undefined => {
    const session = sessions.get(idHash)
    return session !== undefined && clock.now() < session.openedAt + lifeMs ? session : undefined
  }
  const endById = (id: string) => {
    const idHash = idPattern.test(id) ? hash('sha256', id) : ''
    if (sessions.get(idHash) !== undefined) endRecord({ idHash })
  }
  /** Makes room for one more of the account, and sweeps those that have expired. */
  const makeRoom = (accountId: number) => {
    const all = sessions.all()
    for (const session of all) if (lasting(session.idHash) === undefined) endRecord(session)
    const own = all.filter((session) => session.accountId === accountId && sessions.get(session.idHash) !== undefined)
    const oldestFirst = own.sort((one, other) => one.openedAt - other.openedAt)
    for (const session of oldestFirst.slice(0, Math.max(own.length - mostSessions + 1, 0))) endRecord(session)
  }

  return {
    /**
     * Opens a session: call at every sign-in.
     * @param before the id that the browser had; that session ends
     * @returns the id, for the browser's cookie alone: 256 bits that cannot be foretold, not even from `randomSeed`
     * @throws MissingRecordError if there is no such account
     */
    open(accountId: number, before?: string): { readonly id: string; readonly session: Session } {
      if (accounts.get(accountId) === undefined) throw new MissingRecordError('account', accountId)
      if (before !== undefined) endById(before)
      makeRoom(accountId)
      const id = randomBytes(32).toString('base64url')
      const record = { idHash: hash('sha256', id), accountId, openedAt: clock.now() }
      sessions.put(record)
      return { id, session: sessionOf(record, id) }
    },
    /** Undefined if the id is none, or its session has ended. */
    find(id: string): Session | undefined {
      const record = idPattern.test(id) ? lasting(hash('sha256', id)) : undefined
      return record && sessionOf(record, id)
    },
    /** Whether a session that was found before still lasts. */
    isOpen: ({ idHash }: Session) => lasting(idHash) !== undefined,
    /** Ends a session, if it is one. */
    end: endById,
    /** Ends all sessions of an account. */
    endAll(accountId: number) {
      for (const session of sessions.all()) if (session.accountId === accountId) endRecord(session)
    },
  }
}

/** The sessions of the website. They last 30 days of the service's clock, and survive a restart with a data folder. */
export type Sessions = ReturnType<typeof createSessions>

function sessionOf({ idHash, accountId, openedAt }: SessionRecord, id: string): Session {
  const formSecret = createHmac('sha256', id).update('form tokens').digest('base64url')
  return { idHash, accountId, expiresAt: openedAt + lifeMs, formSecret }
}
