import type { ItemRecord } from '../../output/events.ts'
import { counted } from '../../output/format/format.ts'
import { openPages } from '../../output/open-pages.ts'
import type { Context } from '../../run/context.ts'
import { copyText } from './copy-text.ts'

export interface HandOverOptions {
  readonly copy: boolean
  readonly open: boolean
}

/** What an upload leads to beside its output: links on the clipboard, pages in the browser. */
export async function handOver(
  { records, links }: { readonly records: readonly ItemRecord[]; readonly links: readonly (string | null)[] },
  { copy, open }: HandOverOptions,
  context: Context,
): Promise<void> {
  // Whoever stopped the run wants it to end.
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
  const what = counted(links.length, 'link')
  if (copied.type === 'copied') reporter.report({ type: 'note', text: `Copied ${what} to the clipboard` })
  if (copied.type === 'sent-to-terminal') {
    reporter.report({ type: 'note', text: `Handed ${what} to the terminal for its clipboard` })
  }
  if (copied.type !== 'failed') return
  const { reason, hint } = copied
  reporter.report({ type: 'warning', text: `The links were not copied: ${reason}`, hint })
}
