import type { Command } from 'commander'
import { createNameOf } from '../../uploads/names.ts'
import { findForeign, findUploads, parseUploadName, slugsOf } from '../choice/names.ts'
import type { Context, Start } from '../context/context.ts'
import { exitCodeOfBatch } from '../failures/exit-codes.ts'
import { describeFailure } from '../failures/failure.ts'
import { withName } from '../output/fields.ts'
import { uploadLines } from '../output/tables/account-text.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Show uploads.')
    .argument('<slug|url...>', 'their slugs or any of their URLs')
    .option('--open', 'open their pages in the browser, five at most')
    .addHelpText('after', examples)
    .action((uploads: readonly string[], { open = false }: { open?: boolean }) => {
      start((context) => show(uploads, open, context))
    })
}

const examples = `
Examples:
  fh show aB3dE6gH9j
  fh show https://files.example/i/aB3dE6gH9j.jpg --json
  fh show aB3dE6gH9j --fields views
  fh show aB3dE6gH9j --open`

async function show(uploads: readonly string[], open: boolean, context: Context): Promise<number> {
  const { reporter, interruption, flags, io } = context
  const names = uploads.map(parseUploadName)
  const slugs = slugsOf(names)
  const { baseUrl } = await context.credentials()
  const signal = interruption.stopping
  const client = await context.client()
  const nameOf = createNameOf(baseUrl, io.env)
  const known = await findForeign(names, { baseUrl, client, signal })
  const found = await findUploads(slugs, client, signal, known)
  const there = [...found.values()].flatMap((upload) => (upload instanceof Error ? [] : [upload]))
  const named = there.map((upload) => withName(upload, nameOf(upload)))
  const data = flags.fields === undefined ? there : named
  context.print({
    data: slugs.length > 1 ? data : (data[0] ?? null),
    text: (page) => named.flatMap((one, index) => [...(index > 0 ? [''] : []), ...uploadLines(one, page)]),
  })
  const items = [...found.values()].map((upload) => {
    if (!(upload instanceof Error)) return { status: 'skipped', error: null } as const
    const failure = describeFailure(upload)
    reporter.report({ type: 'failed', failure })
    return { status: 'failed', error: failure } as const
  })
  if (open) {
    const { openPages } = await import('../output/open-pages.ts')
    const pages = there.map(({ url }) => url)
    await openPages(pages, context.warn)
  }
  return exitCodeOfBatch(items)
}
