import { isObject } from '../../src/checks/json.ts'
import { aListOf, kindBy, someFields, type ValueOf } from '../../src/checks/values.ts'
import { windowNames } from '../../src/protocol/rate-limits.ts'
import type { ClockMode } from '../clock/clock.ts'
import type { ArmedFault } from '../faults/fault-book.ts'
import { completeFault, faultFields } from '../faults/fault-parser.ts'
import { windowUse } from '../service/quota/quota.ts'
import { createSettings, type Settings } from '../settings/settings.ts'
import { dumpFields, type RecordDump, uploadRecord } from '../storage/record-types.ts'
import { listOf, objectOf, optional, someOf } from '../values/codec.ts'
import { readAt } from '../values/reading.ts'
import { count, digest, instant, oneOf, text, wholeNumber } from '../values/value-type.ts'
import { type MissingFile, SnapshotError } from './snapshot-blobs.ts'

const version = 3

/**
 * The whole state of an emulator as JSON, for this or another emulator to restore. Blob ids are the SHA-256 of the
 * bytes, so that equal states have equal snapshots in every store.
 */
export interface Snapshot {
  readonly format: 'filehost-emulator'
  readonly version: typeof version
  readonly clock: SnapshotClock
  /** Every setting by its name. */
  readonly settings: Settings
  /** The faults in force, with their counts. */
  readonly faults: readonly ArmedFault[]
  /** Accounts, uploads, requests and the charges of keys; field names in snake_case. */
  readonly records: Readonly<Record<string, unknown>>
  /** What answers told clients that they have not waited out yet, by the hash of the key. */
  readonly advice: readonly unknown[]
  /** Files and thumbnails in base64, by their SHA-256 in hexadecimal. */
  readonly blobs: Readonly<Record<string, string>>
  /** Damaged or missing files: their uploads are not in `records`, or are there without a thumbnail. */
  readonly missing?: readonly SnapshotGap[]
}

/** A file that could not be read for the snapshot. */
export interface SnapshotGap {
  /** The record of the upload, fields in snake_case. */
  readonly upload: unknown
  /** Says what is wrong with the file or thumbnail. */
  readonly reason: string
}

export interface SnapshotClock {
  readonly mode: ClockMode
  /** ISO 8601; absent if the clock is the system's. */
  readonly now?: string
}

export interface SnapshotContent {
  readonly clock: { readonly mode: ClockMode; readonly nowMs: number | undefined }
  readonly settings: Settings
  readonly faults: readonly ArmedFault[]
  /** Its blob ids are keys of `blobs`. */
  readonly records: RecordDump
  readonly advice: readonly KeyAdvice[]
  readonly blobs: ReadonlyMap<string, Buffer>
}

const keyAdvice = objectOf({
  keyHash: digest,
  /** Requests of at least this cost should wait until then. */
  retry: optional(objectOf({ until: instant, cost: count })),
  rest: optional(objectOf({ remaining: count, until: instant })),
})

/** What a client was told and has not waited out yet. */
export interface KeyAdvice extends ValueOf<typeof keyAdvice> {}

/** @param missing files that are not in the content */
export function writeSnapshot(
  { clock: { mode, nowMs }, settings, faults, records, advice, blobs }: SnapshotContent,
  missing: readonly MissingFile[],
): Snapshot {
  const gaps = missing.map((gap) => ({ ...gap, upload: uploadRecord.write(gap.upload) }))
  return {
    format: 'filehost-emulator',
    version,
    clock: { mode, ...(nowMs === undefined ? {} : { now: new Date(nowMs).toISOString() }) },
    settings,
    faults,
    records: recordDump.write(records) as Snapshot['records'],
    advice: advice.map(keyAdvice.write),
    blobs: Object.fromEntries([...blobs].map(([id, bytes]) => [id, bytes.toString('base64')])),
    ...(gaps.length > 0 && { missing: gaps }),
  }
}

/**
 * Reads an untrusted snapshot.
 * @throws SnapshotError saying what is wrong with it and where
 */
export function readSnapshot(found: unknown): SnapshotContent {
  if (!isObject(found) || found['format'] !== 'filehost-emulator') {
    throw new SnapshotError('This is not a snapshot: its "format" is not "filehost-emulator"')
  }
  if (found['version'] !== version) {
    const other = JSON.stringify(found['version'])
    const advice = Number(found['version']) > version ? ': a newer release of filehost wrote it, update this one' : ''
    throw new SnapshotError(
      `The snapshot has version ${other}, but this release reads only version ${version}${advice}`,
    )
  }
  try {
    const { mode, now } = readAt(clock, found['clock'], "The snapshot's clock")
    return {
      clock: { mode, nowMs: now },
      settings: createSettings(readAt(anObject, found['settings'], "The snapshot's settings")).current,
      faults: readFaults(found['faults']),
      records: readRecords(found['records']),
      advice: readAt(listOf(keyAdvice), found['advice'], "The snapshot's advice"),
      blobs: readBlobs(found['blobs']),
    }
  } catch (error) {
    throw error instanceof SnapshotError ? error : new SnapshotError((error as Error).message, { cause: error })
  }
}

/** Leaves as many exact integers above it for new ones. */
const number = wholeNumber({ from: 1, to: 2 ** 52 })

const recordDump = objectOf({
  ...dumpFields,
  quotas: listOf(objectOf({ keyHash: digest, state: someOf(windowNames, windowUse) })),
})

const clock = objectOf({ mode: oneOf('system', 'virtual', 'auto'), now: optional(instant) })

const anObject = kindBy<Readonly<Record<string, unknown>>>('an object', isObject)
const counters = { id: number, seen: count, struck: count }
const armedFaults = aListOf(
  someFields({ ...faultFields, ...counters }, { required: ['action', ...Object.keys(counters)] }),
)

function readFaults(found: unknown): readonly ArmedFault[] {
  const read = readAt(armedFaults, found, "The snapshot's faults")
  const faults = read.map((armed) => ({ ...armed, ...completeFault(armed) }) as ArmedFault)
  allDifferent('fault ids', faults, ({ id }) => id)
  return faults
}

/**
 * Also checks what no single record shows: unique ids and keys, and an account for every upload. A snapshot without
 * accounts is valid: all of them may have been deleted.
 */
function readRecords(found: unknown) {
  const records = readAt(recordDump, found, "The snapshot's records")
  const { accounts, uploads, requests, droppedRequests, quotas, sessions, lastIds } = records
  allDifferent('account ids', accounts, ({ id }) => id)
  allDifferent('emails', accounts, ({ email }) => email)
  allDifferent('key hashes', accounts, ({ keyHash }) => keyHash)
  allDifferent('upload ids', uploads, ({ id }) => id)
  allDifferent('slugs', uploads, ({ slug }) => slug)
  allDifferent('accounts of dropped_requests', droppedRequests, ({ accountId }) => accountId)
  allDifferent('key hashes of quotas', quotas, ({ keyHash }) => keyHash)
  allDifferent('id hashes of sessions', sessions, ({ idHash }) => idHash)
  const isUnordered = requests.some(({ number }, at) => at > 0 && number <= (requests[at - 1]?.number ?? 0))
  refuse(isUnordered && 'requests do not count up in their numbers')
  const known = new Set(accounts.map(({ id }) => id))
  const orphan = uploads.find(({ accountId }) => !known.has(accountId))
  refuse(orphan && `upload ${orphan.slug} belongs to account ${orphan.accountId}, which it lacks`)
  const stray = sessions.find(({ accountId }) => !known.has(accountId))
  refuse(stray && `session belongs to account ${stray.accountId}, which it lacks`)
  const isLow = [
    lastIds.account < highestId(accounts),
    lastIds.upload < highestId(uploads),
    lastIds.request < (requests.at(-1)?.number ?? 0),
  ]
  refuse(isLow.includes(true) && 'last_ids are lower than ids it has')
  return { ...records, accounts: byId(accounts), uploads: byId(uploads) }
}

function readBlobs(found: unknown): ReadonlyMap<string, Buffer> {
  const at = "The snapshot's blobs"
  return new Map(
    Object.entries(readAt(anObject, found, at)).map(([id, bytes]) => [
      id,
      Buffer.from(readAt(text, bytes, `${at}.${id}`), 'base64'),
    ]),
  )
}

/** @param problem follows "the snapshot's"; nothing if there is none */
function refuse(problem: string | false | undefined): void {
  if (problem) throw new SnapshotError(`The snapshot's ${problem}`)
}

function allDifferent<Row>(what: string, rows: readonly Row[], fieldOf: (row: Row) => string | number | null): void {
  if (new Set(rows.map(fieldOf)).size < rows.length) {
    throw new SnapshotError(`The snapshot has duplicates among its ${what}`)
  }
}

function highestId(rows: readonly { readonly id: number }[]): number {
  return rows.reduce((most, { id }) => Math.max(most, id), 0)
}

function byId<Row extends { readonly id: number }>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((one, other) => one.id - other.id)
}
