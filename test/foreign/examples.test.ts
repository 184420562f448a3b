import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const examplesOf = (page: string) =>
  [...readFileSync(`${root}${page}`, 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)
const snippets = examplesOf('docs/library.md')
const examples = [...snippets, ...['README.md', 'docs/fleet.md'].flatMap(examplesOf)]

/** What an example takes from an earlier one. */
const known = {
  createClient: "import { createClient } from 'filehost'",
  emulator: "declare const emulator: import('filehost/emulator').Emulator",
}

/** Each example as a file of a program that has the package installed: a package can import itself by its name. */
const programs = new Map(
  examples.map((code, index) => {
    const missing = Object.entries(known).filter(([name]) => !snippets.includes(code) && isUsedUnnamed(name, code))
    return [`${root}example-${index}.mts`, [...missing.map(([, line]) => line), code, 'export {}'].join('\n')]
  }),
)

function isUsedUnnamed(name: string, code: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`(import \\{[^}]*|const )\\b${name}\\b`).test(code)
}

test('the examples of README.md and docs/fleet.md compile in a strict program, and each of docs/library.md by itself', () => {
  expect(snippets.length).toBeGreaterThan(6)
  expect(programs.size).toBeGreaterThanOrEqual(9)
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (path) => programs.has(path) || fileExists(path)
  host.readFile = (path) => programs.get(path) ?? readFile(path)
  host.getSourceFile = (path, ...rest) => {
    const code = programs.get(path)
    return code === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, code, rest[0])
  }
  const found = ts.getPreEmitDiagnostics(ts.createProgram([...programs.keys()], options, host))
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
})
