import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { parseSlug } from '../slug.ts'

export interface ShowOptions {
  /** A slug or any URL of the upload. */
  readonly upload: string
}

export function register(command: Command, start: (options: ShowOptions) => void): void {
  command
    .description('Show one upload.')
    .argument('<slug|url>', 'its slug, or the URL of its page, raw file, thumbnail or embed')
    .addHelpText('after', examples)
    .action((upload: string) => start({ upload }))
}

const examples = `
Examples:
  fh show aB3dE6gH9j
  fh show https://files.example/i/aB3dE6gH9j.jpg --json
  fh show aB3dE6gH9j --fields views`

export async function run({ upload }: ShowOptions, { client, reporter, interruption }: Context): Promise<void> {
  const slug = parseSlug(upload)
  const shown = await (await client()).show(slug, { signal: interruption.stopping })
  reporter.report({ type: 'upload-shown', upload: shown })
}
