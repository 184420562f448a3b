import type { SettingDefinition } from '../emulator/settings/definitions.ts'
import { definitions } from '../emulator/settings/definitions.ts'
import { type Dialect, dialects } from '../emulator/settings/dialects.ts'

/** Writes docs/settings.md. */
export function settingsDocument(): string {
  const lines = Object.entries<SettingDefinition<unknown>>(definitions).map(([name, definition]) => {
    return `- **${code(name)}**: ${values(name, definition)}. ${definition.description}`
  })
  return [introduction, ...lines, '', dialectsSection(), ''].join('\n')
}

const introduction = `# Settings of the emulator

Where the spec is silent, a setting decides; its default is the likeliest reading. Settings are given at the start
(\`fh emulate --set NAME=VALUE\`, \`createEmulator({ settings })\`) and changed live
(\`emulator.control.settings.update({ … })\`, \`PATCH /_emulator/settings\`). On the command line a value that is valid JSON
is read as JSON, any other as text: \`--set quota_windows=sliding\`, \`--set 'quotas={"burst":5}'\`.

Its values stand beside each setting, the default first. The dialect \`hostile\` sets the value in bold.
`

function values(name: string, { type, default: value }: SettingDefinition<unknown>): string {
  const hostile = changesOf('hostile').get(name)
  if (type.values === undefined) {
    return `${code(value)}; takes ${type.accepts}${hostile === undefined ? '' : `; **${code(hostile)}**`}`
  }
  const inOrder = [value, ...type.values.filter((other) => other !== value)]
  return inOrder.map((each) => (each === hostile ? `**${code(each)}**` : code(each))).join(', ')
}

function dialectsSection(): string {
  const laravel = [...changesOf('laravel')].map(([name, value]) => `\`${name}=${text(value)}\``)
  return `## Dialects

A dialect is a set of initial settings (\`fh emulate --dialect NAME\`, \`createEmulator({ dialect })\`).

- \`spec\`: every default.
- \`laravel\`: the framework as it comes: ${laravel.join(', ')}.
- \`hostile\`: for each setting the value that is hardest for a client. One that works with it works with the others.`
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
