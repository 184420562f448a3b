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
