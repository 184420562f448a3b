import type { Upload } from '../../index.ts'
import { isObject, parseJson } from '../../protocol/json.ts'
import { isTooDeep } from '../../protocol/json-depth.ts'
import type { ProcessOwner } from '../../system/process-identity.ts'
import { recordedFields } from '../output/fields.ts'

/** One key of one service. */
export interface Account {
  readonly base_url: string
  /** A hash of address and API key; the key itself is never written. */
  readonly key_hash: string
}

/** One file of one run, and its content. */
interface ItemFact extends Account {
  /** Identifies one item of one run; all facts about it have the same id. */
  readonly id: string
  readonly run: string
  /** Absolute; `-` and the name of what is not read from a path: of a URL nothing else is kept. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** Hash of the content; empty if it was not read to its end yet: then a `hashed` fact follows. */
  readonly sha256: string
  /** Epoch milliseconds, like all times here. */
  readonly at: number
}

/** A run has begun; its process works until the run's `end`. */
export interface RunFact extends ProcessOwner {
  readonly type: 'run'
  readonly run: string
  readonly at: number
}

/** A run means to send a file: of several claims on the same content the first in the journal counts. */
export interface ClaimFact extends ItemFact {
  readonly type: 'claim'
}

/** A run is about to send an upload. */
export interface IntentFact extends ItemFact {
  readonly type: 'intent'
  readonly mime_type: string
  /** The clock's monotonic time at `at`; where both advanced equally, the clock was not set. */
  readonly monotonic?: number
  /** Bounds of `at` by the service's clock, if an earlier answer had a Date. */
  readonly service_from?: number
  readonly service_to?: number
}

/** The service showed that it has a file's content. */
export interface FoundFact extends ItemFact {
  readonly type: 'found'
  /** The type that was sent, if this is known. */
  readonly mime_type?: string
  readonly upload: Upload
}

/** What another machine knows of a file: its item belongs to no run of this one, and so to one that is over. */
export type LearntFact = Omit<FoundFact, 'id' | 'run' | keyof Account> | Omit<IntentFact, 'id' | 'run' | keyof Account>

/** One line of the journal. The state at any moment is the fold of all lines in their order. */
export type JournalFact =
  | RunFact
  | ClaimFact
  | IntentFact
  | FoundFact
  /** The content's hash, if it was not known before the first byte was sent. */
  | { readonly type: 'hashed'; readonly id: string; readonly sha256: string }
  /** The upload is stored. Earlier versions wrote no time. */
  | { readonly type: 'done'; readonly id: string; readonly upload: Upload; readonly at?: number }
  /** The upload failed and is certainly not stored, or was not begun. */
  | { readonly type: 'not-stored'; readonly id: string }
  /** All bytes were sent and no answer tells the outcome: the run itself looks for it. Earlier versions write none. */
  | { readonly type: 'looking'; readonly id: string }
  /** The outcome is unknown; the next run finds out. */
  | { readonly type: 'unknown'; readonly id: string; readonly at: number }
  /** The run is over. */
  | { readonly type: 'end'; readonly run: string }
  /** A run asks the service to delete the upload: until it is forgotten or kept, or the run is over, its link may end. */
  | ({ readonly type: 'deleting'; readonly run: string; readonly slug: string } & Account)
  /** It was not deleted. */
  | ({ readonly type: 'kept'; readonly slug: string } & Account)
  /** What a run has of the account is to be forgotten once the run is over. */
  | ({ readonly type: 'leaving'; readonly run: string } & Account)
  /** The service no longer has the upload. */
  | ({ readonly type: 'forgotten'; readonly slug: string } & Account)

type FieldType = 'string' | 'string?' | 'number' | 'number?' | 'upload'

const accountShape = { base_url: 'string', key_hash: 'string' } as const
const itemShape = {
  ...accountShape,
  id: 'string',
  run: 'string',
  path: 'string',
  size: 'number',
  sha256: 'string',
  at: 'number',
} as const

const shapes: Readonly<Record<JournalFact['type'], Readonly<Record<string, FieldType>>>> = {
  run: { run: 'string', host: 'string', boot: 'string', space: 'string', pid: 'number', start: 'string', at: 'number' },
  claim: itemShape,
  intent: {
    ...itemShape,
    mime_type: 'string',
    monotonic: 'number?',
    service_from: 'number?',
    service_to: 'number?',
  },
  found: { ...itemShape, mime_type: 'string?', upload: 'upload' },
  hashed: { id: 'string', sha256: 'string' },
  done: { id: 'string', upload: 'upload', at: 'number?' },
  'not-stored': { id: 'string' },
  looking: { id: 'string' },
  unknown: { id: 'string', at: 'number' },
  end: { run: 'string' },
  deleting: { ...accountShape, run: 'string', slug: 'string' },
  kept: { ...accountShape, slug: 'string' },
  leaving: { ...accountShape, run: 'string' },
  forgotten: { ...accountShape, slug: 'string' },
}

export function toLine(fact: JournalFact): string {
  return JSON.stringify(fact)
}

/** All readable facts; torn lines and lines too deep to be written again are left out. */
export function parseLines(lines: readonly string[]): readonly JournalFact[] {
  return lines.flatMap((line) => {
    const fact = isTooDeep(line) ? undefined : parseJson(line)
    return isFact(fact) ? [fact] : []
  })
}

/** Whether a file with these lines is a journal, or empty. */
export function looksLikeJournal(lines: readonly string[]): boolean {
  const first = lines.find((line) => line.trim() !== '')
  return first === undefined || /^\s*\{"type":"/.test(first)
}

function isFact(value: unknown): value is JournalFact {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(shapes, value['type'])) return false
  const shape = shapes[value['type'] as JournalFact['type']]
  return Object.entries(shape).every(([field, type]) => hasType(value[field], type))
}

function hasType(value: unknown, type: FieldType): boolean {
  if (type === 'number?') return value === undefined || typeof value === 'number'
  if (type === 'string?') return value === undefined || typeof value === 'string'
  return type === 'upload' ? isUpload(value) : typeof value === type
}

/** Whether a value has what is kept of an upload. */
export function isUpload(value: unknown): value is Upload {
  return isObject(value) && recordedFields.every((field) => Object.hasOwn(value, field)) && hasLinks(value)
}

/** Whether the fields are text that links are made of. */
function hasLinks(value: Readonly<Record<string, unknown>>): boolean {
  return ['slug', 'url', 'direct_url', 'mime_type'].every((field) => typeof value[field] === 'string')
}

export function isOf(one: Account, other: Account): boolean {
  return one.base_url === other.base_url && one.key_hash === other.key_hash
}

/** @param what of the account: a size, a slug or the name of a run */
export function accountKey({ key_hash, base_url }: Account, what: string | number): string {
  return `${key_hash} ${base_url} ${what}`
}
