import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  shell: process.platform === 'win32',
})
const [packed] = JSON.parse(stdout) as readonly [{ readonly files: readonly { readonly path: string }[] }]
const files = packed.files.map(({ path }) => path)
const isPacked = (path: string) => files.some((file) => file === path || file.startsWith(`${path}/`))

test('every relative link of a packed document leads to a packed file', async () => {
  const pages = files.filter((file) => file.endsWith('.md'))
  const links = await Promise.all(
    pages.map(async (page) => {
      const target = /\]\((?![a-z]+:|#)([^)\s#]+)[^)]*\)|(?:src|href)="(?![a-z]+:|#)([^"#]+)/g
      const found = [...(await readFile(page, 'utf8')).matchAll(target)]
      return found.map(([, link, source]) => [page, posix.join(page, '..', link ?? source ?? '')] as const)
    }),
  )
  expect(links.flat().length).toBeGreaterThan(25)
  expect(links.flat().filter(([, target]) => !isPacked(target))).toEqual([])
})

test('every document that the built code names is packed', async () => {
  const built = (await readdir('dist', { recursive: true })).filter((name) => /\.(js|cjs|ts|json)$/.test(name))
  const named = await Promise.all(
    built.map(async (name) => (await readFile(`dist/${name}`, 'utf8')).match(/\bdocs\/[\w/-]+(\.\w+)?/g) ?? []),
  )
  expect([...new Set(named.flat())].filter((path) => !isPacked(path))).toEqual([])
})

test('package.json leads to the repository, the issues and the home page, and its entries are packed', async () => {
  const described = JSON.parse(await readFile('package.json', 'utf8'))
  const { repository, bugs, homepage, license, engines, exports, bin } = described
  expect({ license, engines, homepage, bugs: bugs.url, repository: repository.url }).toEqual({
    license: 'MIT',
    engines: { node: '>=22.19.0' },
    homepage: expect.stringMatching(/^https:/),
    bugs: expect.stringMatching(/^https:.*\/issues$/),
    repository: expect.stringMatching(/^git\+https:.*\.git$/),
  })
  const targets = [...JSON.stringify({ exports, bin }).matchAll(/"(\.\/[^"]+\.\w+)"[,}]/g)].map(([, path = '']) => path)
  const built = targets.filter((path) => !path.endsWith('.d.ts')).map((path) => posix.normalize(path))
  expect(built.length).toBeGreaterThan(10)
  expect(built.filter((path) => !isPacked(path))).toEqual([])
})

test('form-data, which the library bundles, comes with its licence and those of what it imports', async () => {
  const licences = await readFile('dist/THIRD-PARTY-LICENCES.txt', 'utf8')
  expect(licences.match(/^(form-data|mime-types|mime-db) /gm)).toEqual(['form-data ', 'mime-db ', 'mime-types '])
})
