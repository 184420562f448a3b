import { basename } from 'node:path'
import { anObjectHaving, anything, aText, type Kind, readJson } from '../checks/values.ts'
import { isTooDeep } from '../protocol/json-depth.ts'
import type { Upload } from '../protocol/resources.ts'
import type { Attempt, OpenItem } from './upload-store.ts'

/** A row as SQLite gives it. */
export type Row = Readonly<Record<string, unknown>>

/** What is kept of an upload: links are made of the fields that are text. */
export const keptUpload = anObjectHaving({
  slug: aText,
  url: aText,
  direct_url: aText,
  mime_type: aText,
  size: anything,
  created_at: anything,
}) as unknown as Kind<Upload>

export function parseUpload(text: string): Upload | undefined {
  return isTooDeep(text) ? undefined : readJson(keptUpload, text)
}

export function toOpenItem({ id, path, size, sha256, attempt, ended_at }: Row): OpenItem {
  return {
    id: String(id),
    path: String(path),
    size: Number(size),
    sha256: String(sha256 ?? ''),
    attempt: parseAttempt(String(attempt)),
    endedAt: ended_at === null ? null : Number(ended_at),
  }
}

/** Written by this program alone. */
function parseAttempt(text: string): Attempt {
  return JSON.parse(text) as Attempt
}

/** The base name of a path in the store; what is not read from a path has a `-` and its name there. */
export function nameOf(path: string): string {
  return path.startsWith('-') ? path.slice(1) : basename(path)
}
