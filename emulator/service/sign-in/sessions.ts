import { createHmac, hash, randomBytes } from 'node:crypto'
import type { EmulatorClock } from '../../clock/clock.ts'
import type { SessionRecord } from '../../storage/record-types.ts'
import type { RecordStore } from '../../storage/records.ts'
import { MissingRecordError } from '../refusal.ts'

const lifeMs = 30 * 24 * 3_600_000
/** Of one account; one more ends the oldest. */
const mostOfAccount = 100

const idPattern = /^[\w-]{43}$/

/** @param onEnd called when a session ends other than by its age */
export function createSessions(
  { accounts, sessions }: Pick<RecordStore, 'accounts' | 'sessions'>,
  clock: Pick<EmulatorClock, 'now'>,
  onEnd: (idHash: string) => void,
) {
  const endAllOf = (isOver: (session: SessionRecord) => boolean) => {
    const over = sessions.all().filter(isOver)
    if (over.length === 0) return
    sessions.replace(sessions.all().filter((session) => !isOver(session)))
    for (const { idHash } of over) onEnd(idHash)
  }
  const isLasting = (session: SessionRecord | undefined): session is SessionRecord =>
    session !== undefined && clock.now() < session.openedAt + lifeMs
  const byHash = (idHash: string) => sessions.all().find((session) => session.idHash === idHash)
  const byId = (id: string) => (idPattern.test(id) ? byHash(hash('sha256', id)) : undefined)
  /** Ends a session, if it is one. */
  const end = (id: string) => {
    const idHash = byId(id)?.idHash
    endAllOf((session) => session.idHash === idHash)
  }
  /** Makes room for one more of the account, and sweeps those that have expired. */
  const makeRoom = (accountId: number) => {
    const own = sessions.all().filter((session) => session.accountId === accountId && isLasting(session))
    const oldestFirst = own.toSorted((one, other) => one.openedAt - other.openedAt)
    const surplus = new Set(
      oldestFirst.slice(0, Math.max(own.length - mostOfAccount + 1, 0)).map(({ idHash }) => idHash),
    )
    endAllOf((session) => !isLasting(session) || surplus.has(session.idHash))
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
      return isLasting(record) ? sessionOf(record, id) : undefined
    },
    /** Whether a session that was found before still lasts. */
    isOpen: ({ idHash }: Session) => isLasting(byHash(idHash)),
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
