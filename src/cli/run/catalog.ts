import type { CommandModule } from '../context/context.ts'
import { shownFields, uploadFields } from '../output/fields.ts'

/** A command, before its code is loaded. */
export interface CatalogEntry {
  readonly summary: string
  readonly alias?: string
  /** What --json prints: `array`; `list` = an array, or null where it could not be read; one `value`; `own` lines. */
  readonly document: 'array' | 'list' | 'value' | 'own'
  /** Whether it prints items one by one, as --jsonl does. */
  readonly lines: boolean
  /** What --fields may name; empty where the command does not take it. */
  readonly fields: readonly string[]
  /** Whether --fields works without --json too. */
  readonly textFields?: true
  readonly transfers?: true
  load(): Promise<CommandModule>
}

const recordFields = ['status', 'upload', 'error', ...uploadFields]
const statsFields = ['stats', 'quota', 'uploads', 'albums', 'total_views', 'api_requests']

export const plainEntry = {
  document: 'value',
  lines: false,
  fields: [],
} as const satisfies Partial<CatalogEntry>

/** All commands, in the order help lists them; a new command is an entry here and its file. */
export const catalog: Readonly<Record<string, CatalogEntry>> = {
  login: entry('store the address and API key of a service', () => import('../commands/login.ts')),
  logout: entry('forget the stored API key', () => import('../commands/logout.ts')),
  upload: entry('upload files, folders or standard input', () => import('../commands/upload/command.ts'), {
    document: 'array',
    fields: ['file', ...recordFields],
    transfers: true,
  }),
  list: entry('list uploads, newest first', () => import('../commands/list.ts'), {
    document: 'list',
    alias: 'ls',
    fields: shownFields,
    textFields: true,
  }),
  show: entry('show uploads', () => import('../commands/show.ts'), { fields: shownFields, textFields: true }),
  download: entry('download the files of uploads', () => import('../commands/download/command.ts'), {
    document: 'array',
    alias: 'get',
    fields: ['slug', 'path', ...recordFields],
    transfers: true,
  }),
  delete: entry('delete uploads for good', () => import('../commands/delete.ts'), {
    document: 'array',
    alias: 'rm',
    fields: ['slug', ...recordFields],
  }),
  api: entry('send a request of your own', () => import('../commands/api.ts'), { lines: true }),
  stats: entry('show the statistics and the remaining quota', () => import('../commands/stats.ts'), {
    fields: [...statsFields, 'limit', 'remaining', 'reset_at', 'cost'],
    textFields: true,
  }),
  doctor: entry('check settings, connection and key', () => import('../commands/doctor.ts')),
  quota: entry('show how much of the quota is used, as counted on this machine', () => import('../commands/quota.ts'), {
    fields: ['windows', 'hold', 'uploads', 'burst', 'minute', 'hour', 'day'],
  }),
  config: entry('show and change settings', () => import('../commands/config.ts')),
  emulate: entry('run a local copy of the service', () => import('../commands/emulate/command.ts'), {
    document: 'own',
  }),
  completion: entry('print a completion script for a shell', () => import('../commands/completion.ts')),
  help: entry('explain a command, exit codes or the environment', () => import('../commands/help.ts')),
}

function entry(
  summary: string,
  load: () => Promise<CommandModule>,
  details: Partial<Omit<CatalogEntry, 'summary' | 'load'>> = {},
): CatalogEntry {
  const lines = details.document === 'array' || details.document === 'list'
  return { ...plainEntry, summary, load, lines, ...details }
}
