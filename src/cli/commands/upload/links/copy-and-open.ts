import type { Context } from '../../../context/context.ts'
import type { ItemRecord } from '../../../output/events.ts'
import { openPages } from '../../../output/open-pages.ts'
import { copyText } from './copy-text.ts'

export interface CopyAndOpenOptions {
  readonly copy: boolean
  readonly open: boolean
}

/** Copies the links of an upload to the clipboard and opens their pages in the browser. */
export async function copyAndOpen(
  { records, links }: { readonly records: readonly ItemRecord[]; readonly links: readonly (string | null)[] },
  { copy, open }: CopyAndOpenOptions,
  context: Context,
): Promise<void> {
  // A stopped run ends without further actions.
  if (context.interruption.stopping.aborted) return
  const texts = links.filter((link) => link !== null)
  if (copy && texts.length > 0) await copyLinks(texts, context)
  if (open)
    await openPages(
      records.flatMap(({ upload }) => (upload === null ? [] : [upload.url])),
      context,
    )
}

async function copyLinks(links: readonly string[], { io, clock, reporter }: Context): Promise<void> {
  const copied = await copyText(links.join('\n'), { io, clock })
  if (copied.type === 'failed') {
    reporter.report({ type: 'warning', warning: { type: 'links-not-copied', problem: copied.problem } })
  } else {
    reporter.report({ type: 'note', note: { type: 'links-copied', count: links.length, by: copied.by } })
  }
}
