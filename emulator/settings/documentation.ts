import type { SettingDefinition } from './definition.ts'
import { definitions } from './definitions.ts'
import { type Dialect, dialects } from './dialects.ts'

/** The page of the documentation about settings, in Markdown. */
export function settingsDocument(): string {
  const rows = Object.entries<SettingDefinition<unknown>>(definitions).map(([name, definition]) => {
    const cells = [code(name), values(definition), hostileValue(name), definition.spec, definition.means]
    return `| ${cells.join(' | ')} |`
  })
  return [introduction, heading, ...rows, '', afterword(), ''].join('\n')
}

const introduction = `# Settings of the emulator

What the spec says, the emulator does. Where the spec is silent, a setting decides, and its default is the likeliest
reading. Settings are given at the start (\`fh emulate --set NAME=VALUE\`, \`createEmulator({ settings })\`) and changed
live (\`emulator.control.settings.update({ … })\`, \`PATCH /_emulator/settings\`).

On the command line a value is read as JSON where it is JSON, and as text otherwise: \`--set quota_windows=sliding\`,
\`--set 'quotas={"burst":5}'\`.
`

const heading = `| setting | values, the default first | hostile | spec | what it decides |
|---|---|---|---|---|`

function values({ kind, default: value }: SettingDefinition<unknown>): string {
  if (kind.values === undefined) return `${code(value)}; takes ${kind.accepts}`
  return [value, ...kind.values.filter((other) => other !== value)].map(code).join(', ')
}

function hostileValue(name: string): string {
  const value = changesOf('hostile').get(name)
  return value === undefined ? '' : code(value)
}

function afterword(): string {
  const laravel = [...changesOf('laravel')].map(([name, value]) => `\`${name}=${text(value)}\``)
  return `## Dialects

A dialect is a set of settings to begin with (\`fh emulate --dialect NAME\`, \`createEmulator({ dialect })\`).

- \`spec\`: every default.
- \`laravel\`: the framework as it is unless told otherwise: ${laravel.join(', ')}.
- \`hostile\`: of every setting the value that is hardest on a client, as the column above has it; where it is empty,
  that is the default. A client that bears this dialect bears the others.`
}

function changesOf(dialect: Dialect): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(dialects[dialect]))
}

function code(value: unknown): string {
  return `\`${text(value)}\``
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
