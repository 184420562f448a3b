import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import { RedisConnection } from '../../src/store/redis/connection.ts'
import { accountKeys, RedisSession } from '../../src/store/redis/session.ts'
import { RedisUploads } from '../../src/store/redis/uploads.ts'
import { SqliteUploads, type UploadsProblem } from '../../src/store/sqlite-uploads.ts'
import { StoreError } from '../../src/store/store-error.ts'
import type { Account, Attempt, ClaimedFile, ClaimStatus, Content, UploadStore } from '../../src/store/upload-store.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { killable } from '../helpers/killable.ts'
import { uploadObject } from '../helpers/media.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

export const STARTED_AT = Date.parse('2026-11-20T12:00:00Z')
const account: Account = { address: 'http://h', keyHash: 'key' }
export const digest = (text: string) => createHash('sha256').update(text).digest('hex')
export const content = (text: string, size = 5): Content => ({ size, sha256: digest(text) })
export const file = (text: string, more: Partial<ClaimedFile> = {}): ClaimedFile => ({
  path: `/folder/${text}.jpg`,
  isForced: false,
  ...content(text),
  ...more,
})
export const unhashed = (text: string, size = 5) => file(text, { size, sha256: '' })
export const attempt: Attempt = { size: 5, mimeType: 'image/jpeg', startedAt: STARTED_AT, monotonic: 2 }
export const upload = (slug: string, size = 5) => ({ ...uploadObject, slug, size, mime_type: 'image/jpeg' })

interface Opening {
  readonly keyHash?: string
  /** Of its clock, in milliseconds. */
  readonly after?: number
  readonly isNetwork?: boolean
}

/** The runs of one machine. */
export function machine() {
  const folder = join(temporaryFolder(), 'state')
  const path = join(folder, 'uploads.db')
  const clock = instantClock()
  const problems: UploadsProblem[] = []
  function start({ keyHash = 'key', after = 0, ...options }: Opening = {}) {
    const { run, kill, handles } = killable<UploadStore>(
      () =>
        new SqliteUploads({
          path,
          account: { ...account, keyHash },
          clock: { ...clock, now: () => clock.now() + after },
          isNetwork: false,
          onProblem: (problem) => problems.push(problem),
          ...options,
        }),
    )
    onTestFinished(kill)
    return { store: run, kill, handles }
  }
  return { folder, path, problems, start, open: (options?: Opening) => start(options).store }
}

/** A run that has no file. */
export function memory(): UploadStore {
  return new SqliteUploads({ path: undefined, account, clock: instantClock(), onProblem() {} })
}

export async function send(store: UploadStore, text: string, more: Partial<ClaimedFile> = {}): Promise<string> {
  const id = mine(await store.claim(file(text, more)))
  expect(await store.intend(id, { ...attempt, size: more.size ?? 5 })).toBe(true)
  return id
}

export async function sendAndStore(store: UploadStore, text: string, slug = text): Promise<void> {
  await store.stored(await send(store, text), upload(slug))
}

export function mine(status: ClaimStatus): string {
  if (status.type !== 'mine') throw new Error(`The claim is ${status.type}`)
  return status.id
}

export const typeOf = async (status: Promise<ClaimStatus>) => (await status).type
export const slugsOf = async (store: UploadStore, text: string) =>
  (await store.known(content(text))).map(({ slug }) => slug)

/** Machines that share a Redis, which has been whole for long enough that contents can be claimed. */
export async function machines({ isSettled = true } = {}) {
  const server = await startRedis()
  const keys = accountKeys(randomBytes(8).toString('hex'))
  const [state = '', , runs = ''] = keys
  const told: unknown[] = []
  const stopping = new AbortController().signal
  function start({ folder = temporaryFolder(), maxWaitMs = 0, clock = systemClock as Clock } = {}) {
    const link = new RedisConnection({ url: server.url, keys, clock: patientClock })
    const line = { isCut: false, losesAnswer: false, longest: 0 }
    const connection = {
      async run(script: string, args: readonly string[]) {
        line.longest = Math.max(line.longest, args.length)
        const answer = line.isCut ? undefined : await link.run(script, args)
        if (!line.isCut && !line.losesAnswer) return answer
        line.losesAnswer = false
        throw new StoreError('unreachable', 'Redis cannot be reached')
      },
    }
    const session = new RedisSession({ connection, clock })
    const store = new RedisUploads({
      session,
      patience: { mostMs: maxWaitMs, stopping, onOutage: () => told.push(['silent', maxWaitMs]) },
      path: join(folder, 'uploads.db'),
      account,
      clock: instantClock(),
      onProblem() {},
      onSettling: (ms) => told.push(['settling', ms]),
    })
    onTestFinished(async () => {
      await store.close().catch(() => {})
      await session.close()
      link.close()
    })
    return {
      store,
      line,
      folder,
      /** Redis has not heard of the run for a lease. */
      expire: () => server.command('HSET', runs, session.run, '1'),
    }
  }
  const age = (ms: number) => server.age(ms)
  await start().store.expect([content('nothing')])
  if (isSettled) await age(31_000)
  return { server, start, age, told, state, keys }
}
