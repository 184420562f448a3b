import type { Command } from 'commander'
import type { CommandModule, CommandResult } from './command.ts'
import type { Context } from './context.ts'
import { uploadFields } from './fields.ts'

/** What is known of a command before its code is loaded. */
export interface CatalogEntry {
  readonly summary: string
  /** What --json prints: always an array, one value, or lines of the command's own. */
  readonly document: 'array' | 'value' | 'own'
  /** What --fields may name; none where it has no meaning. */
  readonly fields: readonly string[]
  /** Whether --fields chooses what is printed without --json too. */
  readonly textFields: boolean
  /** Whether its arguments are files, which may have names like flags. */
  readonly takesFiles: boolean
  /** Loads the command's code and declares it. */
  attach(command: Command, start: (run: Run) => void): Promise<void>
}

export type Run = (context: Context) => Promise<CommandResult>

const recordFields = ['status', 'upload', 'error', ...uploadFields]
const statsFields = ['stats', 'quota', 'uploads', 'albums', 'total_views', 'api_requests']
const quotaFields = ['limit', 'remaining', 'reset_at', 'cost']

/** All commands, in the order help lists them. */
export const catalog: Readonly<Record<string, CatalogEntry>> = {
  login: entry('store the address and API key of a service', () => import('./commands/login.ts')),
  logout: entry('forget the stored API key', () => import('./commands/logout.ts')),
  upload: entry('upload files, folders or standard input', () => import('./commands/upload.ts'), {
    document: 'array',
    fields: ['file', ...recordFields],
    takesFiles: true,
  }),
  list: entry('list uploads, newest first', () => import('./commands/list.ts'), {
    document: 'array',
    fields: uploadFields,
    textFields: true,
  }),
  show: entry('show one upload', () => import('./commands/show.ts'), { fields: uploadFields, textFields: true }),
  delete: entry('delete uploads for good', () => import('./commands/delete.ts'), {
    document: 'array',
    fields: ['slug', ...recordFields],
  }),
  stats: entry(
    'show the statistics of the account and what is left of its quota',
    () => import('./commands/stats.ts'),
    {
      fields: [...statsFields, ...quotaFields],
      textFields: true,
    },
  ),
  config: entry('show and change settings', () => import('./commands/config.ts')),
  emulate: entry('run a local copy of the service', () => import('./commands/emulate.ts'), { document: 'own' }),
  help: entry('explain a command, exit codes or the environment', () => import('./commands/help.ts')),
}

function entry<Options>(
  summary: string,
  load: () => Promise<CommandModule<Options>>,
  details: Partial<Omit<CatalogEntry, 'summary' | 'attach'>> = {},
): CatalogEntry {
  return {
    summary,
    document: 'value',
    fields: [],
    textFields: false,
    takesFiles: false,
    ...details,
    async attach(command, start) {
      const module = await load()
      module.register(command, (options) => start((context) => module.run(options, context)))
    },
  }
}
