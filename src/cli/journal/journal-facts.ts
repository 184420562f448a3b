import type { Upload } from '../../index.ts'
import { isTooDeep } from '../../protocol/json-depth.ts'
import { isObject, parseJson } from '../../system/json.ts'
import type { ProcessOwner } from '../../system/process-identity.ts'

/** A run is about to send an upload. */
export interface IntentFact {
  readonly type: 'intent'
  /** Identifies one item of one run; its further attempts use the same id. */
  readonly id: string
  readonly run: string
  readonly base_url: string
  /** A hash of address and API key; the key itself is never written. */
  readonly key_hash: string
  /** Absolute; `-` and the name for standard input. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** Hash of the content; empty if it was not read to its end yet: then a `hashed` fact follows. */
  readonly sha256: string
  readonly mime_type: string
  /** Epoch milliseconds, like all times here. */
  readonly at: number
  /** The clock's monotonic time at `at`; where both advanced equally, the clock was not set. */
  readonly monotonic?: number
  /** Bounds of `at` by the service's clock, if an earlier answer had a Date. */
  readonly service_from?: number
  readonly service_to?: number
}

/** A run has begun; its process works until the run's `end`. */
export interface RunFact extends ProcessOwner {
  readonly type: 'run'
  readonly run: string
  readonly at: number
}

/** One line of the journal. The state at any moment is the fold of all lines in their order. */
export type JournalFact =
  | RunFact
  | IntentFact
  /** The content's hash, if it was not known before the first byte was sent. */
  | { readonly type: 'hashed'; readonly id: string; readonly sha256: string }
  /** The upload is stored. */
  | { readonly type: 'done'; readonly id: string; readonly upload: Upload }
  /** The upload failed and is certainly not stored. */
  | { readonly type: 'not-stored'; readonly id: string }
  /** The outcome is unknown; the next run finds out. */
  | { readonly type: 'unknown'; readonly id: string; readonly at: number }
  /** A later run skipped the upload and is responsible for it from now on. */
  | { readonly type: 'taken'; readonly id: string; readonly run: string }
  /** The upload no longer counts: the file is uploaded again. */
  | { readonly type: 'dropped'; readonly id: string }
  /** The run is over; complete if nothing is left to do. */
  | { readonly type: 'end'; readonly run: string; readonly complete: boolean }
  /** The upload is deleted. */
  | { readonly type: 'forgotten'; readonly base_url: string; readonly key_hash: string; readonly slug: string }

type FieldType = 'string' | 'number' | 'number?' | 'boolean' | 'upload'

const shapes: Readonly<Record<JournalFact['type'], Readonly<Record<string, FieldType>>>> = {
  run: {
    run: 'string',
    host: 'string',
    boot: 'string',
    space: 'string',
    pid: 'number',
    start: 'string',
    at: 'number',
  },
  intent: {
    id: 'string',
    run: 'string',
    base_url: 'string',
    key_hash: 'string',
    path: 'string',
    size: 'number',
    sha256: 'string',
    mime_type: 'string',
    at: 'number',
    monotonic: 'number?',
    service_from: 'number?',
    service_to: 'number?',
  },
  hashed: { id: 'string', sha256: 'string' },
  done: { id: 'string', upload: 'upload' },
  'not-stored': { id: 'string' },
  unknown: { id: 'string', at: 'number' },
  taken: { id: 'string', run: 'string' },
  dropped: { id: 'string' },
  end: { run: 'string', complete: 'boolean' },
  forgotten: { base_url: 'string', key_hash: 'string', slug: 'string' },
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
  if (type !== 'upload') return typeof value === type
  return isObject(value) && storedFields.every((field) => Object.hasOwn(value, field)) && isText(value, textFields)
}

/** The fields of every upload in a journal. A field the service gains later is missing in journals of today. */
const storedFields = [
  'slug',
  'title',
  'url',
  'direct_url',
  'thumb_url',
  'mime_type',
  'size',
  'views',
  'likes',
  'created_at',
] as const

/** The fields that links are made of. */
const textFields = ['slug', 'url', 'direct_url', 'mime_type'] as const

function isText(value: Readonly<Record<string, unknown>>, fields: readonly string[]): boolean {
  return fields.every((field) => typeof value[field] === 'string')
}
