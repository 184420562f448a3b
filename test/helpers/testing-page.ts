import { readFile } from 'node:fs/promises'

const page = await readFile(new URL('../../docs/testing.md', import.meta.url), 'utf8')

/** The first code of a section of docs/testing.md in this language, as a user would copy it. */
export function codeOf(section: string, language: string): string {
  const [, text = ''] = page.split(`\n## ${section}\n`)
  const [, code = ''] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text.split('\n## ')[0] ?? '') ?? []
  return code
}
