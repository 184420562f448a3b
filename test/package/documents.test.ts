import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'

const pages = globSync(['*.md', 'docs/**/*.md', '.github/**/*.md'], { dot: true })
/** Pages that lead a reader to files. Decisions are left out: they name files as they were when it was decided. */
const maps = ['docs/architecture.md', 'docs/emulator.md', 'docs/glossary.md', 'CONTRIBUTING.md', 'SECURITY.md']

/** The paths from the root that a page has in backquotes. */
function pathsIn(page: string): readonly string[] {
  const words = [...readFileSync(page, 'utf8').matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word)
  return words.filter((word) => /^(\.github|\.ci|bench|bin|build|docs|emulator|src|test)\/[\w./*-]*$/.test(word))
}

test.each(maps)('every path that %s names exists', (page) => {
  expect(pathsIn(page).length).toBeGreaterThan(0)
  expect(pathsIn(page).filter((path) => globSync(path, { dot: true, onlyFiles: false }).length === 0)).toEqual([])
})

test('every link from a page to a file of this repository leads to one', () => {
  const dead = pages.flatMap((page) => {
    const targets = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to)
    const files = targets.filter((target) => !/^[a-z]+:/.test(target))
    return files.filter((file) => !existsSync(join(dirname(page), file))).map((file) => `${page}: ${file}`)
  })
  expect(dead).toEqual([])
})
