import type { Upload } from '../../index.ts'
import { isObject, parseJson } from '../../system/json.ts'
import { isTooDeep } from '../../system/json-depth.ts'
import type { ProcessOwner } from '../../system/process-identity.ts'
import { uploadFields } from '../output/fields.ts'

/** What a run was about to send. */
export interface IntentFact {
  readonly type: 'intent'
  /** Names one item of one run; further attempts have the same. */
  readonly id: string
  readonly run: string
  readonly base_url: string
  /** A hash of the API key, which itself is never written down. */
  readonly key_hash: string
  /** Absolute; `-` and the name for standard input. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** Of the content; empty where it was not read to its end yet, and a fact `hashed` follows. */
  readonly sha256: string
  readonly mime_type: string
  /** Epoch milliseconds, as all times here. */
  readonly at: number
  /** The clock's monotonic time then: where both clocks agree, none was set since. */
  readonly monotonic?: number
  /** Between which instants of the service's clock that was, where its answers had told. */
  readonly service_from?: number
  readonly service_to?: number
}

/** A process at work, from its first line to its `end`. */
export interface RunFact extends ProcessOwner {
  readonly type: 'run'
  readonly run: string
  readonly at: number
}

/** One line of the journal. What is known at any moment is the fold of all lines in their order. */
export type JournalFact =
  | RunFact
  | IntentFact
  /** Its content, where that took longer to read than it took until the first byte left. */
  | { readonly type: 'hashed'; readonly id: string; readonly sha256: string }
  /** It is stored. */
  | { readonly type: 'done'; readonly id: string; readonly upload: Upload }
  /** It failed, and is proven not to be stored. */
  | { readonly type: 'not-stored'; readonly id: string }
  /** Nobody knows; for the next run to find out. */
  | { readonly type: 'unknown'; readonly id: string; readonly at: number }
  /** A later run skipped it, and answers for it from here on. */
  | { readonly type: 'taken'; readonly id: string; readonly run: string }
  /** It counts no more: it is uploaded again whatever became of it. */
  | { readonly type: 'dropped'; readonly id: string }
  /** The run is over; complete where nothing of it is left to do. */
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

/** A fact as its line; the break comes first, so that a line torn before it spoils nothing but itself. */
export function toLine(fact: JournalFact): string {
  return `\n${JSON.stringify(fact)}`
}

/** All facts that can be read; a line that cannot was never finished, or could not be written again. */
export function parseLines(text: string): readonly JournalFact[] {
  return text.split('\n').flatMap((line) => {
    const fact = line.trim() === '' || isTooDeep(line) ? undefined : parseJson(line)
    return isFact(fact) ? [fact] : []
  })
}

/** Whether a file that begins like this is a journal, or may become one. */
export function looksLikeJournal(text: string): boolean {
  return text.trim() === '' || /^\s*\{"type":"/.test(text)
}

function isFact(value: unknown): value is JournalFact {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(shapes, value['type'])) return false
  const shape = shapes[value['type'] as JournalFact['type']]
  return Object.entries(shape).every(([field, type]) => hasType(value[field], type))
}

function hasType(value: unknown, type: FieldType): boolean {
  if (type === 'number?') return value === undefined || typeof value === 'number'
  if (type !== 'upload') return typeof value === type
  return isObject(value) && uploadFields.every((field) => Object.hasOwn(value, field)) && isText(value, textFields)
}

/** What a link is made of. */
const textFields = ['slug', 'url', 'direct_url', 'mime_type'] as const

function isText(value: Readonly<Record<string, unknown>>, fields: readonly string[]): boolean {
  return fields.every((field) => typeof value[field] === 'string')
}
