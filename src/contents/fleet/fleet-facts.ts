import { anObjectOf, aText, ifSound, readJson, type TaggedOf, taggedOf } from '../../checks/values.ts'
import { type Dated, logMarks } from '../../log/redis/history.ts'
import { isTooDeep } from '../../protocol/json-depth.ts'
import { type JournalFact, keptUpload, parseLines } from '../journal-facts.ts'
import { type DescribedUpload, type FleetEntry, nameOf, type StoredEntry } from '../journal-items.ts'
import { recordedFields } from '../recorded-fields.ts'

const marks = {
  ...logMarks,
  /** A runner that was cut off has sent without asking. */
  alone: {},
}
const mark = taggedOf('type', marks)

/** They matter to the runs of one machine. */
const unshared = ['hashed', 'looking', 'deleting', 'kept', 'leaving', 'adopting'] as const
type SharedJournalFact = Exclude<JournalFact, { readonly type: (typeof unshared)[number] }>

/** What a fleet's log has of contents: facts as in the journal, without account and folders, and marks of the fleet. */
export type SharedFact = SharedJournalFact | TaggedOf<'type', typeof marks>

export type SharedLine = Dated<SharedFact>

/** Whose log it is is not written in it. */
export const sharedAccount = { base_url: '', key_hash: '' }

export function isShared(fact: JournalFact | undefined): fact is SharedJournalFact {
  return fact !== undefined && unshared.every((type) => type !== fact.type)
}

export function parseShared(text: string, at: number): SharedLine | undefined {
  const found = isTooDeep(text) ? undefined : readJson(mark, text)
  if (found) return { at, line: found }
  const [fact] = parseLines([text])
  if (!isShared(fact)) return undefined
  return { at, line: 'at' in fact ? { ...fact, at } : fact }
}

/** One thing of one item or run is said once, but for an ending: its runner may mean to send it again after that. */
export function factName({ at, line }: SharedLine): string {
  if (line.type === 'not-stored' || line.type === 'unknown') return `${line.type} ${line.id} ${at}`
  const type = line.type === 'found' ? 'done' : line.type
  if ('id' in line) return `${type} ${line.id}`
  if ('run' in line) return `${type} ${line.run}`
  return `${type} ${'slug' in line ? line.slug : ''}${'runner' in line ? line.runner : ''} ${at}`
}

/** As compact.lua takes an upload for the record. */
export function recordTexts(stored: StoredEntry): readonly string[] {
  const entry = storedFleetEntry(stored)
  if (entry === undefined || entry.sha256 === '' || !/^\S+$/.test(stored.slug)) return []
  const { name, mimeType, upload, sha256, at } = entry
  const fields = Object.fromEntries(recordedFields.map((field) => [field, upload[field]]))
  const text = JSON.stringify({ name, ...(mimeType !== undefined && { mime_type: mimeType }), upload: fields })
  return [sha256, stored.slug, at.toFixed(0), text]
}

const description = anObjectOf({ name: aText, mime_type: ifSound(aText), upload: keptUpload })

/** Undefined for what another version wrote, or none of ours. */
export function parseDescription(json: string): DescribedUpload | undefined {
  if (isTooDeep(json)) return undefined
  const read = readJson(description, json)
  return read && { name: read.name, mimeType: read.mime_type, upload: read.upload }
}

/** An upload as the record has it: `<confirmed> <slug> <text>`. */
export function recordedEntry(sha256: string, text: string): FleetEntry | undefined {
  const [, at, slug, json = ''] = /^(\d+) (\S+) (.*)$/s.exec(text) ?? []
  const described = parseDescription(json)
  return described?.upload.slug === slug && described ? { ...described, sha256, at: Number(at) } : undefined
}

export function storedFleetEntry({ item, upload, at }: StoredEntry): FleetEntry | undefined {
  if (upload === undefined) return undefined
  const mimeType = 'mime_type' in item ? item.mime_type : undefined
  return { name: nameOf(item.path), mimeType, upload, sha256: item.sha256, at }
}
