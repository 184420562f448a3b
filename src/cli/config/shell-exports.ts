import { basename } from 'node:path'
import { quoted, type Shell } from '../output/format/shell-word.ts'
import type { Environment } from './settings.ts'

/** The user's shell, by SHELL; without it PowerShell on Windows, sh elsewhere. */
export function usualShell({ SHELL }: Environment, platform = process.platform): Shell {
  const name = basename(SHELL ?? '').replace(/\.exe$/i, '')
  if (name === 'fish') return 'fish'
  if (name === 'pwsh' || name === 'powershell') return 'powershell'
  return name === '' && platform === 'win32' ? 'powershell' : 'sh'
}

/** Lines that set environment variables in a shell, with their values quoted. */
export function shellExports(variables: Readonly<Record<string, string>>, shell: Shell): readonly string[] {
  return Object.entries(variables).map(([name, value]) => lines[shell](name, value))
}

const lines: Readonly<Record<Shell, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}=${quoted(value, 'sh')}`,
  fish: (name, value) => `set -gx ${name} ${quoted(value, 'fish')}`,
  powershell: (name, value) => `$env:${name} = ${quoted(value, 'powershell')}`,
}
