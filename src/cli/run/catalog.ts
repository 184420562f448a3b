import type { Command } from 'commander'
import { uploadFields } from '../output/fields.ts'
import type { CommandModule, CommandResult } from './command.ts'
import type { Context } from './context.ts'

/** What is known of a command before its code is loaded. */
export interface CatalogEntry {
  readonly summary: string
  /** What --json prints: always an array, an array that is null where it could not be read, one value, or lines of the command's own. */
  readonly document: 'array' | 'list' | 'value' | 'own'
  /** Whether --jsonl has a meaning. */
  readonly lines: boolean
  /** What --fields may name; none where it has no meaning. */
  readonly fields: readonly string[]
  /** Whether --fields chooses what is printed without --json too. */
  readonly textFields: boolean
  /** Whether its arguments are files, which may have names like flags. */
  readonly takesFiles: boolean
  /** Whether it moves files, so that there is progress to show. */
  readonly transfers: boolean
  /** Loads the command's code and declares it. */
  attach(command: Command, start: (run: Run) => void, argv: readonly string[]): Promise<void>
}

export type Run = (context: Context) => Promise<CommandResult>

const recordFields = ['status', 'upload', 'error', ...uploadFields]
const statsFields = ['stats', 'quota', 'uploads', 'albums', 'total_views', 'api_requests']
const ledgerFields = ['windows', 'hold', 'uploads', 'burst', 'minute', 'hour', 'day']
const quotaFields = ['limit', 'remaining', 'reset_at', 'cost']

/** All commands, in the order help lists them. */
export const catalog: Readonly<Record<string, CatalogEntry>> = {
  login: entry('store the address and API key of a service', () => import('../commands/login.ts')),
  logout: entry('forget the stored API key', () => import('../commands/logout.ts')),
  upload: entry('upload files, folders or standard input', () => import('../commands/upload/command.ts'), {
    document: 'array',
    fields: ['file', ...recordFields],
    takesFiles: true,
    transfers: true,
  }),
  list: entry('list uploads, newest first', () => import('../commands/list.ts'), {
    document: 'list',
    fields: uploadFields,
    textFields: true,
  }),
  show: entry('show one upload', () => import('../commands/show.ts'), { fields: uploadFields, textFields: true }),
  download: entry('download the files of uploads', () => import('../commands/download/command.ts'), {
    document: 'array',
    fields: ['slug', 'path', ...recordFields],
    transfers: true,
  }),
  delete: entry('delete uploads for good', () => import('../commands/delete/command.ts'), {
    document: 'array',
    fields: ['slug', ...recordFields],
  }),
  api: entry('make a call of your own', () => import('../commands/api/command.ts'), { lines: true }),
  stats: entry(
    'show the statistics of the account and what is left of its quota',
    () => import('../commands/stats.ts'),
    {
      fields: [...statsFields, ...quotaFields],
      textFields: true,
    },
  ),
  doctor: entry(
    'check the settings, the way to the service and how it speaks',
    () => import('../commands/doctor/command.ts'),
  ),
  quota: entry('show what is used of the quota, as counted here', () => import('../commands/quota.ts'), {
    fields: ledgerFields,
  }),
  config: entry('show and change settings', () => import('../commands/config.ts')),
  emulate: entry('run a local copy of the service', () => import('../commands/emulate/command.ts'), {
    document: 'own',
  }),
  completion: entry('print a completion script for a shell', () => import('../commands/completion/command.ts')),
  help: entry('explain a command, exit codes or the environment', () => import('../commands/help/command.ts')),
}

function entry<Options>(
  summary: string,
  load: () => Promise<CommandModule<Options>>,
  details: Partial<Omit<CatalogEntry, 'summary' | 'attach'>> = {},
): CatalogEntry {
  return {
    summary,
    document: 'value',
    lines: details.document === 'array' || details.document === 'list',
    fields: [],
    textFields: false,
    takesFiles: false,
    transfers: false,
    ...details,
    async attach(command, start, argv) {
      const module = await load()
      module.register(command, (options) => start((context) => module.run(options, context)), argv)
    },
  }
}
