import type { Upload } from '../../../index.ts'
import { formatByteSize } from '../../output/format/byte-size.ts'
import { counted, printable } from '../../output/format/format.ts'
import { uploadDetails } from '../../output/format/upload-details.ts'
import { alignColumns } from '../../output/tables/align-columns.ts'
import type { Found } from './find-uploads.ts'

/** The rows are: slug, type, size, age. */
const sizeColumn = 2

/**
 * The question before uploads are deleted, with the slugs that were not found and a row for each upload; undefined if
 * no upload was found.
 *
 * @param now epoch milliseconds
 */
export function deleteQuestion(found: Found, now: number): string | undefined {
  const missing: string[] = []
  const going: { readonly slug: string; readonly upload: Upload }[] = []
  for (const [slug, upload] of found) {
    if (upload instanceof Error) missing.push(printable(slug))
    else going.push({ slug, upload })
  }
  const notFound = missing.length === 0 ? [] : [`Not found: ${missing.join(', ')}`]
  const [first] = going
  if (first === undefined) return undefined
  if (going.length === 1) {
    const details = uploadDetails(first.upload, now).join(', ')
    return [...notFound, `Delete ${printable(first.slug)} (${details}) for good? [y/N] `].join('\n')
  }
  const rows = going.map(({ slug, upload }) => [`  ${printable(slug)}`, ...uploadDetails(upload, now)])
  const bytes = going.reduce((sum, { upload }) => sum + upload.size, 0)
  const question = `Delete ${counted(going.length, 'upload')} (${formatByteSize(bytes)}) for good? [y/N] `
  return [...notFound, ...alignColumns(rows, { right: [sizeColumn] }), question].join('\n')
}
