import type { CommandModule } from '../context/context.ts'

/** A command, before its code is loaded. */
export interface CatalogEntry {
  readonly summary: string
  readonly alias: string | undefined
  /** What --json prints: `array`; `list` = an array, or null where it could not be read; one `value`; `own` lines. */
  readonly document: 'array' | 'list' | 'value' | 'own'
  load(): Promise<CommandModule>
}

/** All commands, in the order help lists them; a new command is an entry here and its file. */
export const catalog: Readonly<Record<string, CatalogEntry>> = {
  login: entry('store the address and API key of a service', () => import('../commands/login.ts')),
  logout: entry('forget the stored API key', () => import('../commands/logout.ts')),
  upload: entry('upload files, folders or standard input', () => import('../commands/upload/command.ts'), 'array'),
  list: entry('list uploads, newest first', () => import('../commands/list.ts'), 'list', 'ls'),
  show: entry('show uploads', () => import('../commands/show.ts')),
  download: entry('download the files of uploads', () => import('../commands/download/command.ts'), 'array', 'get'),
  delete: entry('delete uploads for good', () => import('../commands/delete.ts'), 'array', 'rm'),
  api: entry('send a request of your own', () => import('../commands/api.ts')),
  stats: entry('show the statistics and the remaining quota', () => import('../commands/stats.ts')),
  doctor: entry('check settings, connection and key', () => import('../commands/doctor.ts')),
  quota: entry('show how much of the quota is used, as counted on this machine', () => import('../commands/quota.ts')),
  config: entry('show and change settings', () => import('../commands/config.ts')),
  emulate: entry('run a local copy of the service', () => import('../commands/emulate/command.ts'), 'own'),
  completion: entry('print a completion script for a shell', () => import('../commands/completion.ts')),
  help: entry('explain a command, exit codes or the environment', () => import('../commands/help.ts')),
}

function entry(
  summary: string,
  load: CatalogEntry['load'],
  document: CatalogEntry['document'] = 'value',
  alias?: string,
): CatalogEntry {
  return { summary, load, document, alias }
}
