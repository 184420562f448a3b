/** Shells whose quoting is known; `sh` is every shell of that family. */
export const shells = ['sh', 'fish', 'powershell'] as const

export type Shell = (typeof shells)[number]

/** A text in quotes, so that the shell takes it as one word and as it is. */
export function quoted(text: string, shell: Shell): string {
  return `'${escaped[shell](text)}'`
}

/** The same for a command that people are to type: without quotes where it needs none. */
export function shellWord(text: string, shell: Shell = 'sh'): string {
  return /^[\w@%+:./-]+$/.test(text) ? text : quoted(text, shell)
}

const escaped: Readonly<Record<Shell, (text: string) => string>> = {
  sh: (text) => text.replaceAll("'", "'\\''"),
  fish: (text) => text.replace(/[\\']/g, '\\$&'),
  powershell: (text) => text.replaceAll("'", "''"),
}
