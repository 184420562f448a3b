import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createJournal } from '../../../src/contents/journal.ts'
import { openJournalFile, recordOf } from '../../../src/contents/journal-file.ts'
import { openRecordFile } from '../../../src/contents/record/record-file.ts'
import type { Clock } from '../../../src/index.ts'
import { bytesOf, contentName } from '../files.ts'
import { BASE_URL } from '../killable-run.ts'
import type { ScenarioFile } from '../scenario.ts'

/** What journal and record of a state folder say of each content: pairs of content name and slug. */
export function recordedSlugs(
  files: readonly ScenarioFile[],
  folder: string,
  { clock, apiKey }: { readonly clock: Clock; readonly apiKey: string },
): readonly (readonly [content: string, slug: string])[] {
  const path = join(folder, 'uploads.journal')
  const journal = createJournal({
    credentials: { baseUrl: BASE_URL, apiKey },
    clock,
    file: openJournalFile(path, { makeFolder: false }),
    record: openRecordFile(recordOf(path)),
    readOnly: true,
    onProblem: () => {},
  })
  try {
    journal.expect(new Set(files.map(({ size }) => size)))
    return files.flatMap((file) => {
      const sha256 = createHash('sha256').update(bytesOf(file)).digest('hex')
      return journal.known({ size: file.size, sha256 }).map(({ slug }) => [contentName(file), slug] as const)
    })
  } finally {
    journal.close()
  }
}
