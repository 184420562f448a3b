import { readFile } from 'node:fs/promises'

export interface NamedTest {
  /** Below test/. */
  readonly file: string
  readonly title: string
}

/** The tests that a document names: a file in backquotes, followed by titles of its tests in “quotes”. */
export function namedTests(text: string): readonly NamedTest[] {
  return [...text.matchAll(/`([^`]+\.ts)`((?:,? “[^”]+”)+)/g)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
  )
}

/** The tests that are not in their files. */
export async function missingTests(tests: readonly NamedTest[]): Promise<readonly NamedTest[]> {
  const files = [...new Set(tests.map(({ file }) => file))]
  const texts = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(`test/${file}`, 'utf8')] as const)),
  )
  return tests.filter(({ file, title }) => !texts.get(file)?.includes(title))
}
