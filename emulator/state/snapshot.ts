import { isObject } from '../../src/checks/json.ts'
import { aListOf, type Kind, kind, kindBy, Mismatch, someFields, type ValueOf } from '../../src/checks/values.ts'
import { perWindow } from '../../src/protocol/rate-limits.ts'
import type { ClockMode } from '../clock/clock.ts'
import type { ArmedFault } from '../faults/fault-book.ts'
import { completeFault, faultFields } from '../faults/fault-parser.ts'
import { windowUse } from '../service/quota/quota.ts'
import { createSettings, type Settings } from '../settings/settings.ts'
import { dumpFields, usageFields } from '../storage/record-types.ts'
import { type Codec, listOf, objectOf, optional } from '../values/codec.ts'
import { mismatchWords } from '../values/reading.ts'
import { count, digest, instant, oneOf, wholeNumber } from '../values/value-type.ts'
import { SnapshotError } from './snapshot-blobs.ts'

const version = 5

/**
 * The whole state of an emulator as JSON, for this or another emulator to restore. Blob ids are the SHA-256 of the
 * bytes, so that equal states have equal snapshots in every store. Names of fields in records are in snake_case.
 */
export interface Snapshot {
  readonly format: 'filehost-emulator'
  readonly version: typeof version
  /** `now` in ISO 8601; absent if the clock is the system's. */
  readonly clock: { readonly mode: ClockMode; readonly now?: string }
  /** Every setting by its name. */
  readonly settings: Settings
  /** The faults in force, with their counts. */
  readonly faults: readonly ArmedFault[]
  /** Accounts, uploads, sessions, requests and the charges of keys. */
  readonly records: Readonly<Record<string, unknown>>
  /** What answers told clients that they have not waited out yet, by the hash of the key. */
  readonly advice: readonly unknown[]
  /** Files and thumbnails in base64, by their SHA-256 in hexadecimal. */
  readonly blobs: Readonly<Record<string, string>>
}

const keyAdvice = objectOf({
  keyHash: digest,
  /** Requests of at least this cost should wait until then. */
  retry: optional(objectOf({ until: instant, cost: count })),
  rest: optional(objectOf({ remaining: count, until: instant })),
})

/** What a client was told and has not waited out yet. */
export interface KeyAdvice extends ValueOf<typeof keyAdvice> {}

const bytesByDigest: Codec<ReadonlyMap<string, Buffer>, Snapshot['blobs']> = {
  ...kind('an object of texts in base64', (found) => {
    if (!isObject(found)) return undefined
    const texts = Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return new Map(texts.map(([id, bytes]) => [id, Buffer.from(bytes, 'base64')]))
  }),
  write: (blobs) => Object.fromEntries([...blobs].map(([id, bytes]) => [id, bytes.toString('base64')])),
}

/** Leaves as many exact integers above it for new ones. */
const number = wholeNumber({ from: 1, to: 2 ** 52 })
const counters = { id: number, seen: count, struck: count }
const armedFault = someFields(
  { ...faultFields, ...counters },
  { required: ['action', ...Object.keys(counters)] },
) as Kind<ArmedFault>

/** A snapshot but for its format and version: this table reads, checks and writes it. */
const content = objectOf({
  clock: objectOf({ mode: oneOf('system', 'virtual', 'auto'), now: optional(instant) }),
  settings: asItIs(kindBy<Settings>('an object', isObject)),
  faults: asItIs(aListOf(armedFault)),
  records: objectOf({
    ...dumpFields,
    usage: listOf(objectOf({ ...usageFields, charge: objectOf(perWindow(() => optional(windowUse))) })),
  }),
  advice: listOf(keyAdvice),
  blobs: bytesByDigest,
})

function asItIs<Value>(kind: Kind<Value>): Codec<Value> {
  return { ...kind, write: (value) => value }
}

export interface SnapshotContent extends ValueOf<typeof content> {}

export function writeSnapshot(state: SnapshotContent): Snapshot {
  return { format: 'filehost-emulator', version, ...content.write(state) } as Snapshot
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
  const read = content.read(found)
  if (read instanceof Mismatch) throw new SnapshotError(`The snapshot's ${read.at.slice(1)} ${mismatchWords(read)}`)
  checkTogether(read)
  try {
    const faults = read.faults.map((armed) => ({ ...armed, ...completeFault(armed) }))
    return { ...read, faults, settings: createSettings(read.settings).current }
  } catch (error) {
    throw new SnapshotError((error as Error).message, { cause: error })
  }
}

/** Checks what no single value shows. Accounts may be none: all of them may have been deleted. */
function checkTogether({ faults, records }: SnapshotContent): void {
  const { accounts, uploads, requests, usage, sessions } = records
  allDifferent('fault ids', faults, ({ id }) => id)
  allDifferent('account ids', accounts, ({ id }) => id)
  allDifferent('emails', accounts, ({ email }) => email)
  allDifferent('key hashes', accounts, ({ keyHash }) => keyHash)
  allDifferent('upload ids', uploads, ({ id }) => id)
  allDifferent('slugs', uploads, ({ slug }) => slug)
  allDifferent('accounts of usage', usage, ({ accountId }) => accountId)
  allDifferent('id hashes of sessions', sessions, ({ idHash }) => idHash)
  const isUnordered = requests.some(({ number }, at) => at > 0 && number <= (requests[at - 1]?.number ?? 0))
  if (isUnordered) throw new SnapshotError("The snapshot's requests do not count up in their numbers")
  const known = new Set(accounts.map(({ id }) => id))
  const orphan = [...uploads, ...sessions].find(({ accountId }) => !known.has(accountId))
  if (orphan === undefined) return
  const what = 'slug' in orphan ? `upload ${orphan.slug}` : 'session'
  throw new SnapshotError(`The snapshot's ${what} belongs to account ${orphan.accountId}, which it lacks`)
}

function allDifferent<Row>(what: string, rows: readonly Row[], fieldOf: (row: Row) => unknown): void {
  if (new Set(rows.map(fieldOf)).size < rows.length) {
    throw new SnapshotError(`The snapshot has duplicates among its ${what}`)
  }
}
