import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'

const pages = globSync(['*.md', 'docs/**/*.md', '.github/**/*.md'], { dot: true })
/** Pages that describe the present. Decisions name files as they were when it was decided. */
const current = globSync(['*.md', 'docs/*.md', '!CHANGELOG.md'])

function found(page: string, pattern: RegExp): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(pattern)].map(([, text = '']) => text)
}

test('every path from the root that a page has in backquotes exists', () => {
  const paths = current.flatMap((page) => {
    const words = found(page, /`([^`\s]+)`/g)
    return words.filter((word) => /^(\.github|bench|bin|build|docs|emulator|src|test)\/[\w./*-]*$/.test(word))
  })
  expect(paths.length).toBeGreaterThan(200)
  expect(paths.filter((path) => globSync(path, { dot: true, onlyFiles: false }).length === 0)).toEqual([])
})

test('every link from a page to a file of this repository leads to one', () => {
  const dead = pages.flatMap((page) => {
    const files = found(page, /\]\(([^)\s#]+)(?:#[^)]*)?\)/g).filter((target) => !/^[a-z]+:/.test(target))
    return files.filter((file) => !existsSync(join(dirname(page), file))).map((file) => `${page}: ${file}`)
  })
  expect(dead).toEqual([])
})
