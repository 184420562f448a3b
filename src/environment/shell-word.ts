/** The supported ways of quoting; `sh` stands for all shells like it. */
export const shellFamilies = ['sh', 'fish', 'powershell'] as const

export type ShellFamily = (typeof shellFamilies)[number]

/** Quotes a text, so that the shell takes it literally, as one word. */
export function shellQuoted(text: string, shell: ShellFamily): string {
  return `'${escaped[shell](text)}'`
}

/** Like {@link shellQuoted}, but without quotes if the text needs none. */
export function shellWord(text: string, shell: ShellFamily = 'sh'): string {
  return /^[\w@%+:./-]+$/.test(text) ? text : shellQuoted(text, shell)
}

const escaped: Readonly<Record<ShellFamily, (text: string) => string>> = {
  sh: (text) => text.replaceAll("'", "'\\''"),
  fish: (text) => text.replace(/[\\']/g, '\\$&'),
  powershell: (text) => text.replaceAll("'", "''"),
}

/** The user's shell according to SHELL; without it, PowerShell on Windows and sh elsewhere. */
export function usualShell(
  { SHELL }: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): ShellFamily {
  // Without node:path, because the dashboard's program has no such module.
  const name = (SHELL ?? '').replace(/^.*[\\/]|\.exe$/gi, '')
  if (name === 'fish') return 'fish'
  if (name === 'pwsh' || name === 'powershell') return 'powershell'
  return name === '' && platform === 'win32' ? 'powershell' : 'sh'
}

/** The commands that set environment variables in a shell. */
export function shellExports(variables: Readonly<Record<string, string>>, shell: ShellFamily): readonly string[] {
  return Object.entries(variables).map(([name, value]) => exportCommands[shell](name, value))
}

const exportCommands: Readonly<Record<ShellFamily, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}=${shellQuoted(value, 'sh')}`,
  fish: (name, value) => `set -gx ${name} ${shellQuoted(value, 'fish')}`,
  powershell: (name, value) => `$env:${name} = ${shellQuoted(value, 'powershell')}`,
}
