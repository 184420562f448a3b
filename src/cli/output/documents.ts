import { unreachable } from '../failures/cli-error.ts'
import { printable } from './format/format.ts'
import { type Shell, shellExports } from './format/shell-word.ts'
import { alignColumns } from './tables/align-columns.ts'

/** What a command prints on stdout; `data` is its JSON output. */
export type Document =
  | { readonly type: 'settings'; readonly data: readonly ListedSetting[]; readonly showOrigin: boolean }
  | { readonly type: 'value'; readonly data: string }
  | { readonly type: 'diagnosis'; readonly data: Diagnosis }
  | { readonly type: 'completion'; readonly data: { readonly shell: string; readonly text: string } }
  | { readonly type: 'command-help'; readonly data: { readonly help: string } }
  /** A line per row, its values below the headings in the order of its fields. */
  | {
      readonly type: 'table'
      readonly headings: readonly string[]
      readonly data: readonly Readonly<Record<string, string | number>>[]
      readonly remarks?: readonly string[]
    }
  /** Environment variables, to be set by this shell. */
  | { readonly type: 'exports'; readonly data: Readonly<Record<string, string>>; readonly shell: Shell }

export interface ListedSetting {
  readonly name: string
  readonly value: string
  readonly origin: string
}

export interface Diagnosis {
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

/** A change without a document: a line on stderr; `data` is the JSON output. */
export type Effect =
  | { readonly type: 'logged-in'; readonly data: LoggedIn; readonly uploads: number }
  | { readonly type: 'logged-out'; readonly data: { readonly profile: string; readonly removed: boolean } }
  | {
      readonly type: 'setting-stored'
      readonly data: { readonly profile: string; readonly name: string; readonly value: string }
    }
  | {
      readonly type: 'setting-removed'
      readonly data: { readonly profile: string; readonly name: string; readonly removed: boolean }
    }
  | { readonly type: 'emulator-answers'; readonly data: { readonly base_url: string } }

interface LoggedIn {
  readonly profile: string
  readonly base_url: string
  /** Of the config file. */
  readonly path: string
}

export function documentText(document: Document): string {
  switch (document.type) {
    case 'settings':
      return document.data
        .map(({ name, value, origin }) => `${name}=${printable(value)}${document.showOrigin ? `\t${origin}` : ''}`)
        .join('\n')
    case 'value':
      return printable(document.data)
    case 'diagnosis':
      return diagnosisText(document.data)
    case 'completion':
      return document.data.text
    case 'command-help':
      return document.data.help
    case 'table': {
      const rows = document.data.map((row) => Object.values(row).map((value) => printable(String(value))))
      const lines = alignColumns([document.headings, ...rows])
      return [...lines, ...(document.remarks === undefined ? [] : ['', ...document.remarks])].join('\n')
    }
    case 'exports':
      return shellExports(document.data, document.shell).join('\n')
    default:
      return unreachable(document)
  }
}

export function effectText(effect: Effect): string {
  switch (effect.type) {
    case 'logged-in': {
      const { base_url, profile, path } = effect.data
      return `Logged in to ${base_url} (uploads: ${effect.uploads}); stored in profile ${profile} of ${path}`
    }
    case 'logged-out': {
      const { profile, removed } = effect.data
      return removed ? `Deleted the key of profile ${profile}` : `No key is stored in profile ${profile}`
    }
    case 'setting-stored':
      return `Set ${effect.data.name} in profile ${effect.data.profile}`
    case 'setting-removed': {
      const { profile, name, removed } = effect.data
      return removed ? `Removed ${name} from profile ${profile}` : `${name} is not set in profile ${profile}`
    }
    case 'emulator-answers':
      return `The emulator at ${effect.data.base_url} answers`
    default:
      return unreachable(effect)
  }
}

function diagnosisText({ checks, dialect }: Diagnosis): string {
  const lines = alignColumns(checks.map(({ status, name, message }) => [status, name, printable(message)]))
  const withHints = lines.flatMap((line, index) => {
    const hint = checks[index]?.hint
    return hint ? [line, `      ${printable(hint)}`] : [line]
  })
  const found = Object.entries(dialect ?? {}).filter(([, value]) => value !== null && String(value) !== '')
  const rows = found.map(([name, value]) => [`  ${name}`, printable(String(value))])
  return [...withHints, ...(rows.length === 0 ? [] : ['', 'Dialect of the service:', ...alignColumns(rows)])].join('\n')
}
