import { readFileSync } from 'node:fs'

/** The first code of a section of a document in this language, as a user would copy it; by default of docs/testing.md. */
export function codeOf(section: string | undefined, language: string, document = 'testing.md'): string {
  return codesOf(section, language, document)[0] ?? ''
}

/** All of it, in order. */
export function codesOf(section: string | undefined, language: string, document = 'testing.md'): readonly string[] {
  const page = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8')
  const text = section === undefined ? page : page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0]
  const codes = (text ?? '').matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))
  return [...codes].map(([, code = '']) => code)
}
