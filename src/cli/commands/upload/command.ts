import { type Command, Option } from 'commander'
import { linkFormats } from '../../../protocol/upload-links.ts'
import { settingOption } from '../../config/global-flags.ts'
import type { Start } from '../../context/context.ts'
import { parseBandwidth, parseJobs } from '../../input/flag-values.ts'
import type { UploadOptions } from './upload-items.ts'

// The burst window lets two uploads through at once (spec 8); more in parallel gain nothing.
const defaults = { include: [], exclude: [], jobs: 2, format: 'url', progress: 'auto' } as const

export function register(command: Command, start: Start): void {
  command
    .description('Upload files and print their links, one per line, in the order given.')
    .argument('[path...]', 'files, folders with -r, quoted patterns, URLs, or -')
    .optionsGroup('Used most:')
    .option('-r, --recursive', 'upload the files in folders')
    .option('-n, --dry-run', 'show what would be sent and when; send nothing')
    .addOption(new Option('--format <format>', 'what to print').choices(linkFormats))
    .option('--copy', 'copy the printed links to the clipboard')
    .option('--force', 'upload files that the account has already')
    .optionsGroup('Which files:')
    .option('--hidden', 'hidden files too, in folders and patterns')
    .option('-L, --follow', 'follow links to folders')
    .option('--include <glob>', 'of these, only files that match; repeatable', another)
    .option('--exclude <glob>', 'no files and folders that match; repeatable', another)
    .option('--files-from <file>', 'the files in this list, one a line; - for stdin')
    .option('-0, --null', 'its paths end with NUL, as find -print0 writes them')
    .option('--name <name>', 'name for what stdin, a URL or a pipe gives')
    .addOption(settingOption('max_file_size'))
    .option('--any-type', 'files of any type; the service decides')
    .optionsGroup('How:')
    .option('-j, --jobs <n>', `how many at a time (${defaults.jobs})`, parseJobs)
    .option('--fail-fast', 'start no more uploads after a failure')
    .option('--bwlimit <rate>', 'at most so many bytes a second: 500k, 2MB', parseBandwidth)
    .option('--no-journal', 'neither read nor write the record of uploads')
    .optionsGroup('What is shown:')
    .addOption(new Option('--progress <how>', 'progress').choices(['auto', 'bar', 'plain', 'none']))
    .option('--open', 'open the pages in the browser, five at most')
    .addHelpText('after', examples)
    .action((paths: readonly string[], flags: Partial<UploadOptions>) => {
      const options = { ...defaults, ...flags, paths }
      // Help needs a fifth of the code.
      start(async (context) => (await import('./run-upload.ts')).runUpload(options, context))
    })
}

const examples = `
After an interruption or a failure, run the same command again to continue.

Examples:
  fh upload photo.jpg https://example.org/cat.jpg
  fh upload -r holiday --include '*.{png,jpg}' --format markdown
  find . -name '*.mp4' -print0 | fh upload --files-from - -0
  convert photo.tiff jpg:- | fh upload - --name photo.jpg`

function another(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
