import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { userProject } from '../helpers/user-project.ts'

const page = readFileSync('docs/library.md', 'utf8')

const entry = ['src/index.ts', 'src/ledger.ts'].map((file) => readFileSync(file, 'utf8')).join('')
const exported = [...entry.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
  names
    .split(',')
    .map((name) => name.replace(/^\s*(?:type\s+)?/, '').trim())
    .filter((name) => name !== ''),
)
const described = [...page.matchAll(/^\| `(\w+)/gm)].map(([, name = '']) => name)

test('docs/library.md has one row for each name that filehost and filehost/ledger export, and no other', () => {
  expect(exported.length).toBeGreaterThan(50)
  expect([...described].sort()).toEqual([...exported].sort())
})

test('docs/library.md begins with uploading, listing, deleting, errors and testing', () => {
  const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  expect(sections.slice(0, 5)).toEqual(['Uploading', 'Listing', 'Deleting', 'Errors', 'Testing'])
})

test('each snippet of docs/library.md compiles by itself', async () => {
  const snippets = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)
  expect(snippets.length).toBeGreaterThan(6)
  const names = snippets.map((_, at) => `snippet-${at}.ts`)
  const folder = await userProject(Object.fromEntries(snippets.map((code, at) => [`snippet-${at}.ts`, code])))
  const errors = problems(names.map((name) => join(folder, name)))
  expect(errors).toEqual([])
})

function problems(files: readonly string[]): readonly string[] {
  const program = ts.createProgram(files, {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    typeRoots: [resolve('node_modules/@types')],
    types: ['node'],
  })
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}
