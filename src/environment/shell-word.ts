import { basename } from 'node:path'

/** The supported ways of quoting; `sh` stands for all shells like it. */
export const shells = ['sh', 'fish', 'powershell'] as const

export type Shell = (typeof shells)[number]

/** Quotes a text, so that the shell takes it literally, as one word. */
export function quoted(text: string, shell: Shell): string {
  return `'${escaped[shell](text)}'`
}

/** Like {@link quoted}, but without quotes if the text needs none. */
export function shellWord(text: string, shell: Shell = 'sh'): string {
  return /^[\w@%+:./-]+$/.test(text) ? text : quoted(text, shell)
}

const escaped: Readonly<Record<Shell, (text: string) => string>> = {
  sh: (text) => text.replaceAll("'", "'\\''"),
  fish: (text) => text.replace(/[\\']/g, '\\$&'),
  powershell: (text) => text.replaceAll("'", "''"),
}

/** The user's shell according to SHELL; without it, PowerShell on Windows and sh elsewhere. */
export function usualShell(
  { SHELL }: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): Shell {
  const name = basename(SHELL ?? '').replace(/\.exe$/i, '')
  if (name === 'fish') return 'fish'
  if (name === 'pwsh' || name === 'powershell') return 'powershell'
  return name === '' && platform === 'win32' ? 'powershell' : 'sh'
}

/** The commands that set environment variables in a shell. */
export function shellExports(variables: Readonly<Record<string, string>>, shell: Shell): readonly string[] {
  return Object.entries(variables).map(([name, value]) => exportCommands[shell](name, value))
}

const exportCommands: Readonly<Record<Shell, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}=${quoted(value, 'sh')}`,
  fish: (name, value) => `set -gx ${name} ${quoted(value, 'fish')}`,
  powershell: (name, value) => `$env:${name} = ${quoted(value, 'powershell')}`,
}
