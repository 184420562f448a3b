import { readFileSync } from 'node:fs'

/** The first code of a section of a document in this language, as a user would copy it; by default of docs/testing.md. */
export function codeOf(section: string | undefined, language: string, document = 'testing.md'): string {
  const page = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8')
  const text = section === undefined ? page : page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0]
  return new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text ?? '')?.[1] ?? ''
}
