import { createHmac, hash, randomBytes } from 'node:crypto'
import type { EmulatorClock } from '../../clock/clock.ts'
import type { SessionRecord } from '../../storage/record-types.ts'
import type { RecordStore } from '../../storage/records.ts'
import { MissingRecordError } from '../refusal.ts'

const lifeMs = 30 * 24 * 3_600_000
/** Of one account; one more ends the oldest. */
const mostOfAccount = 100

const idPattern = /^[\w-]{43}$/

export function createSessions(
  { accounts, sessions }: Pick<RecordStore, 'accounts' | 'sessions'>,
  clock: Pick<EmulatorClock, 'now'>,
) {
  const isLasting = ({ openedAt }: SessionRecord) => clock.now() < openedAt + lifeMs
  const lasting = (idHash: string) => sessions.all().find((session) => session.idHash === idHash && isLasting(session))
  const byId = (id: string) => (idPattern.test(id) ? lasting(hash('sha256', id)) : undefined)
  const endAllOf = (isOver: (session: SessionRecord) => boolean) => {
    const all = sessions.all()
    const left = all.filter((session) => !isOver(session))
    if (left.length < all.length) sessions.replace(left)
  }
  /** Ends a session, if it is one. */
  const end = (id: string) => {
    const idHash = byId(id)?.idHash
    endAllOf((session) => session.idHash === idHash)
  }
  /** Sweeps those that have expired, and the oldest of the account that would be too many with one more. */
  const makeRoom = (accountId: number) => {
    const own = sessions.all().filter((session) => session.accountId === accountId && isLasting(session))
    const surplus = own.toSorted((one, other) => one.openedAt - other.openedAt).slice(0, 1 - mostOfAccount)
    const ended = new Set(surplus.map(({ idHash }) => idHash))
    endAllOf((session) => !isLasting(session) || ended.has(session.idHash))
  }

  return {
    /**
     * Opens a session: call at every sign-in.
     * @param before the id that the browser had; that session ends
     * @returns the id, for the browser's cookie alone: 256 bits that cannot be foretold, not even from `randomSeed`
     * @throws MissingRecordError if there is no such account
     */
    open(accountId: number, before?: string) {
      if (accounts.get(accountId) === undefined) throw new MissingRecordError('account', accountId)
      if (before !== undefined) end(before)
      makeRoom(accountId)
      const id = randomBytes(32).toString('base64url')
      const record = { idHash: hash('sha256', id), accountId, openedAt: clock.now() }
      sessions.replace([...sessions.all(), record])
      return { id, session: sessionOf(record, id) }
    },
    /** Undefined if the id is none, or its session has ended. */
    find(id: string): Session | undefined {
      const record = byId(id)
      return record && sessionOf(record, id)
    },
    /** Whether a session that was found before still lasts. */
    isOpen: ({ idHash }: Session) => lasting(idHash) !== undefined,
    end,
    /** Ends all sessions of an account. */
    endAll(accountId: number) {
      endAllOf((session) => session.accountId === accountId)
    },
  }
}

/** The sessions of the website. They last 30 days of the service's clock, and survive a restart with a data folder. */
export type Sessions = ReturnType<typeof createSessions>

/** A browser that is signed in. */
export type Session = ReturnType<typeof sessionOf>

function sessionOf({ idHash, accountId }: SessionRecord, id: string) {
  return {
    /** Names the session in memory; the id cannot be found from it. */
    idHash,
    accountId,
    /** Secret of the session's form tokens, derived from its id and stored nowhere. */
    formSecret: createHmac('sha256', id).update('form tokens').digest('base64url'),
  } as const
}
