import { type ShellFamily, shellExports } from '../../environment/shell-word.ts'
import { printable } from '../format/format.ts'
import { byType, type Worded } from './messages.ts'
import { alignColumns } from './tables/columns.ts'

/** What a command prints on stdout; `data` is its JSON output. */
export type Document = Worded<typeof documentTexts>

/** A profile of the config file. */
export interface ListedProfile {
  readonly name: string
  readonly base_url: string | null
  /** Where its key comes from; null where it has none. */
  readonly key: 'stored' | 'key_command' | null
  /** Whether commands use it without a flag and without a variable. */
  readonly default: boolean
}

interface Diagnosis {
  readonly ok: boolean
  readonly checks: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly hint: string | null
  }[]
  /** By the name of each trait; null if no answer came. */
  readonly dialect: object | null
}

const documentTexts = {
  settings: ({ data, showOrigin }: { data: readonly Texts<'name' | 'value' | 'origin'>[]; showOrigin: boolean }) =>
    data.map(({ name, value, origin }) => `${name}=${printable(value)}${showOrigin ? `\t${origin}` : ''}`).join('\n'),
  profiles: ({ data, isTable }: { data: readonly ListedProfile[]; isTable: boolean }) => {
    const rows = data.map(({ name, base_url, key, default: isDefault }) =>
      [name, base_url ?? '-', key ?? '-', isDefault ? 'default' : ''].map(printable),
    )
    if (!isTable) return rows.map((row) => row.join('\t')).join('\n')
    return rows.length === 0 ? '' : alignColumns([['NAME', 'ADDRESS', 'KEY', ''], ...rows]).join('\n')
  },
  value: ({ data }: { data: string }) => printable(data),
  /** `hasDialect`: whether to print it. */
  diagnosis: ({ data, hasDialect }: { data: Diagnosis; hasDialect: boolean }) => diagnosisText(data, hasDialect),
  completion: ({ data }: { data: { readonly shell: string; readonly text: string } }) => data.text,
  'command-help': ({ data }: { data: { readonly help: string } }) => data.help,
  /** A topic of the help, laid out. */
  topic: ({ text }: { readonly data: unknown; readonly text: string }) => text,
  /** Environment variables, to be set by this shell. */
  exports: ({ data, shell }: { data: Readonly<Record<string, string>>; shell: ShellFamily }) =>
    shellExports(data, shell).join('\n'),
}

export const documentText = (document: Document) => byType(documentTexts, document)

/** A change without a document: a line on stderr; `data` is the JSON output. */
export type Effect = Worded<typeof effectTexts>

interface LoggedOut {
  readonly profile: string
  readonly removed: boolean
  /** With --forget only: whether there was a record of uploads, which is forgotten now. */
  readonly forgotten?: boolean
}

type Texts<Name extends string> = Readonly<Record<Name, string>>

const effectTexts = {
  /** `path`: of the config file. */
  'logged-in': ({ data, uploads }: { data: Texts<'profile' | 'base_url' | 'path'>; uploads: number }) =>
    `Logged in to ${data.base_url} (uploads: ${uploads}); stored in profile ${data.profile} of ${data.path}`,
  'logged-out': ({ data: { profile, removed, forgotten } }: { data: LoggedOut }) =>
    (removed ? `Deleted the key of profile ${profile}` : `No key is stored in profile ${profile}`) +
    (forgotten ? '; forgot its record of uploads' : ''),
  'profile-chosen': ({ data: { profile, base_url } }: { data: { profile: string; base_url: string | null } }) =>
    `Profile ${profile} is now the default${base_url === null ? '; fh login stores its address and key' : `: ${printable(base_url)}`}`,
  'setting-stored': ({ data }: { data: Texts<'profile' | 'name' | 'value'> }) =>
    `Set ${data.name} in profile ${data.profile}`,
  'setting-removed': ({
    data: { name, profile, removed },
  }: {
    data: Texts<'profile' | 'name'> & { removed: boolean }
  }) => (removed ? `Removed ${name} from profile ${profile}` : `${name} is not set in profile ${profile}`),
  'emulator-answers': ({ data }: { data: { readonly base_url: string } }) => `The emulator at ${data.base_url} answers`,
}

export const effectText = (effect: Effect) => byType(effectTexts, effect)

/** What a person can act on comes first. */
const urgency = ['fail', 'warn', 'ok', 'skip']

function diagnosisText(data: Diagnosis, hasDialect: boolean): string {
  const checks = [...data.checks].sort((a, b) => urgency.indexOf(a.status) - urgency.indexOf(b.status))
  const lines = alignColumns(checks.map(({ status, name, message }) => [status, name, printable(message)]))
  const withHints = lines.flatMap((line, index) => {
    const hint = checks[index]?.hint
    return hint ? [line, `      ${printable(hint)}`] : [line]
  })
  const found = Object.entries((hasDialect && data.dialect) || {}).filter(
    ([, value]) => value !== null && String(value) !== '',
  )
  const rows = found.map(([name, value]) => [`  ${name}`, printable(String(value))])
  return [...withHints, ...(rows.length === 0 ? [] : ['', 'Dialect of the service:', ...alignColumns(rows)])].join('\n')
}
