import type { Upload } from '../../../index.ts'
import { formatByteSize } from './byte-size.ts'
import { formatDate, printable } from './format.ts'
import { relativeTime } from './relative-time.ts'

/**
 * The type, size and age of an upload.
 * @param now epoch milliseconds
 */
export function uploadDetails({ mime_type, size, created_at }: Upload, now: number): readonly string[] {
  const age = relativeTime(Date.parse(created_at), now) ?? formatDate(created_at)
  return [printable(mime_type), formatByteSize(size), age]
}
