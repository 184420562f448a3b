import type { Command } from 'commander'
import type { Client } from '../../index.ts'
import { runBatch } from '../batch.ts'
import { CliError } from '../cli-error.ts'
import type { CommandResult } from '../command.ts'
import type { Context } from '../context.ts'
import type { ItemRecord } from '../events.ts'
import { isAbort } from '../exit-codes.ts'
import { counted, printable } from '../format.ts'
import { concernsAllItems, failedRecord, notStartedRecord } from '../records.ts'
import { parseSlug } from '../slug.ts'

export interface DeleteOptions {
  /** Slugs or URLs of uploads. */
  readonly uploads: readonly string[]
  readonly yes: boolean
  /** Looks each upload up instead of deleting it. */
  readonly dryRun: boolean
}

export function register(command: Command, start: (options: DeleteOptions) => void): void {
  command
    .description('Delete uploads for good, with their files and thumbnails. Asks first.')
    .argument('<slug|url...>', 'slugs, or URLs of pages, raw files, thumbnails or embeds')
    .option('-y, --yes', 'do not ask')
    .option('-n, --dry-run', 'show what would be deleted')
    .addHelpText('after', examples)
    .action((uploads: readonly string[], flags: Partial<DeleteOptions>) => {
      start({ yes: false, dryRun: false, ...flags, uploads })
    })
}

const examples = `
Examples:
  fh delete aB3dE6gH9j
  fh delete -n https://files.example/i/aB3dE6gH9j
  fh delete --yes aB3dE6gH9j kL1mN4pQ7r`

/** Deletes one upload after the other; one that fails does not keep the others from being tried. */
export async function run(options: DeleteOptions, context: Context): Promise<CommandResult> {
  const { reporter, interruption } = context
  const slugs = [...new Set(options.uploads.map(parseSlug))]
  if (!options.dryRun && !options.yes) {
    // Asked for before anything is sent: without an answer nothing can be done anyway.
    context.prompt.assertPossible('whether to delete', 'Add --yes to delete without being asked')
  }
  const client = await context.client()
  if (!options.dryRun && !options.yes) await confirm(slugs, context)
  reporter.report({ type: 'batch-started', total: slugs.length })
  const records = await runBatch<string, ItemRecord>({
    items: slugs,
    jobs: 1,
    stopping: interruption.stopping,
    work: (slug) => (options.dryRun ? lookUp(slug, client, context) : deleteOne(slug, client, context)),
    continues: (record) => !concernsAllItems(record),
    notStarted: (slug) => notStartedRecord({ slug }),
    onResult: (record, index) => reporter.report({ type: 'item-finished', index, record, link: null }),
  })
  reporter.report({ type: 'batch-ended', records })
  return { type: 'batch', items: records }
}

async function confirm(slugs: readonly string[], { prompt }: Context): Promise<void> {
  const what = slugs.length === 1 ? printable(slugs.join('')) : `${counted(slugs.length, 'upload')}`
  const list = slugs.length === 1 ? '' : slugs.map((slug) => `  ${printable(slug)}\n`).join('')
  if (await prompt.confirm(`${list}Delete ${what} for good? [y/N] `)) return
  throw new CliError('declined', 'Nothing was deleted')
}

async function deleteOne(slug: string, client: Client, { interruption }: Context): Promise<ItemRecord> {
  const land = interruption.watch(() => true)
  try {
    await client.delete(slug, { signal: interruption.givingUp })
    return { subject: { slug }, status: 'deleted', upload: null, error: null }
  } catch (error) {
    return failedRecord({ slug }, error)
  } finally {
    land()
  }
}

async function lookUp(slug: string, client: Client, { interruption }: Context): Promise<ItemRecord> {
  try {
    const upload = await client.show(slug, { signal: interruption.stopping })
    return { subject: { slug }, status: 'skipped', upload, error: null }
  } catch (error) {
    return isAbort(error) ? notStartedRecord({ slug }) : failedRecord({ slug }, error)
  }
}
