import type { Command } from 'commander'
import { namesShown } from '../choice/names-shown.ts'
import { findNamed, parseUploadName } from '../choice/upload-names.ts'
import type { Context, Start } from '../context/context.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Show one upload.')
    .argument('<slug|url>', 'its slug or any of its URLs')
    .option('--open', 'open its page in the browser')
    .addHelpText('after', examples)
    .action((upload: string, { open = false }: { open?: boolean }) => start((context) => show(upload, open, context)))
}

const examples = `
Examples:
  fh show aB3dE6gH9j
  fh show https://files.example/i/aB3dE6gH9j.jpg --json
  fh show aB3dE6gH9j --fields views
  fh show aB3dE6gH9j --open`

async function show(upload: string, open: boolean, context: Context): Promise<void> {
  const { reporter, interruption } = context
  const name = parseUploadName(upload)
  const credentials = await context.credentials()
  const client = await context.client({ credentials })
  const nameOf = await namesShown(credentials.baseUrl, context)
  const shown = await findNamed(name, { baseUrl: credentials.baseUrl, client, signal: interruption.stopping })
  reporter.report({ type: 'upload-shown', upload: shown, name: nameOf?.(shown) })
  if (!open) return
  const { openPages } = await import('../output/open-pages.ts')
  await openPages([shown.url], context)
}
