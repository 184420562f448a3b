import type { Client, Upload } from '../../index.ts'
import { eachPage } from '../../internal.ts'
import type { NameOf } from '../journal/recorded-names.ts'
import type { Reporter } from '../output/events.ts'
import { createAgeWatch, judge, type UploadFilter } from './upload-filter.ts'

export interface MatchingTools {
  readonly client: Pick<Client, 'list'>
  readonly nameOf: NameOf
  readonly reporter: Pick<Reporter, 'report'>
  readonly signal: AbortSignal
}

/**
 * The uploads that a filter means, newest first. Reads the list to its end, at a unit per page, or until its order proves
 * that all others are too old. Says at the end how many uploads have no readable time, where one is asked for.
 */
export async function* matchingUploads(
  filter: UploadFilter,
  { client, nameOf, reporter, signal }: MatchingTools,
): AsyncGenerator<Upload, void, undefined> {
  const isRestTooOld = createAgeWatch(filter.since)
  let undated = 0
  for await (const page of eachPage((page) => client.list({ page, signal }))) {
    for (const upload of page) {
      const verdict = judge(upload, filter, nameOf)
      if (verdict === 'matches') yield upload
      if (verdict === 'undated') undated += 1
    }
    if (isRestTooOld(page)) break
  }
  if (undated > 0) reporter.report({ type: 'note', note: { type: 'undated', count: undated } })
}
