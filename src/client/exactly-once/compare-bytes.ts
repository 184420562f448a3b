import type { StoredFilesOptions } from '../calls/stored-file.ts'
import { createLookalikes, type Lookalikes } from './lookalikes.ts'
import type { CompareBytes } from './tell-apart.ts'
import type { UploadRegistry } from './upload-registry.ts'

/** Opens nothing before there is something to compare. */
export function createCompareBytes(site: StoredFilesOptions, registry: UploadRegistry): CompareBytes {
  let made: Lookalikes | undefined
  return (signal = new AbortController().signal) =>
    async (questions) => {
      made ??= createLookalikes({ ...site, keeps: (mimeType) => registry.treatmentOf(mimeType) === 'keeps' })
      const files = questions.map(({ intent: { mimeType }, candidates, print }) => ({
        print,
        mimeType,
        outcome: { type: 'ambiguous', candidates } as const,
      }))
      return (await made.tellApart(files, signal)) ?? files.map(({ outcome }) => outcome)
    }
}
