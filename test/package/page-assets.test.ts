import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Metafile } from 'esbuild'
import { expect, test } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import style from '../../emulator/site/assets/site.css?text'

test('the built command line has the stylesheet', async () => {
  const names = (await readdir('dist/cli')).filter((name) => name.endsWith('.cjs'))
  const files = await Promise.all(names.map((name) => readFile(join('dist/cli', name), 'utf8')))
  expect(files.some((text) => text.includes(style.trim()))).toBe(true)
})

test.each([
  ['dist/THIRD-PARTY-LICENCES.txt', /^hono 4\S* \(MIT\)\n\nMIT License/m],
  ['dist/THIRD-PARTY-LICENCES.txt', /^lit-html 3\S* \(BSD-3-Clause\)\n\nBSD 3-Clause License/m],
  ['dist/cli/THIRD-PARTY-LICENCES.txt', /^lit-html 3\S* \(BSD-3-Clause\)\n\nBSD 3-Clause License/m],
  ['dist/cli/THIRD-PARTY-LICENCES.txt', /^commander 15\S* \(MIT\)\n\n\(The MIT License\)/m],
])('%s has the licences of the packages in the files beside it', async (file, licence) => {
  expect(await readFile(file, 'utf8')).toMatch(licence)
})

type Outputs = Metafile['outputs']

/** A built file and those that it imports at once, without those that it imports when needed. */
function loadedWith(file: string, outputs: Outputs, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if (kind === 'import-statement' && path in outputs) loadedWith(path, outputs, seen)
  }
  return seen
}

test('the emulator of the library loads pages and stylesheets only when one is asked for', async () => {
  const { outputs }: Metafile = JSON.parse(await readFile('dist/metafile-esm.json', 'utf8'))
  const files = [...loadedWith('dist/emulator.js', outputs)]
  const modules = files.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
  expect(modules).toContain('emulator/site/site.ts')
  expect(modules.filter((module) => /^(emulator\/site\/pages|node_modules\/hono\/)/.test(module))).toEqual([])
  const loaded = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  expect(loaded.join('')).not.toContain(style.trim())
})

test('no page of the built emulator is heavy with all that it loads, and none loads anything from elsewhere', async () => {
  const { createEmulator } = await import(pathToFileURL(resolve('dist/emulator.js')).href)
  const { fetch, close }: Emulator = await createEmulator({ clock: 'virtual' })
  const body = new URLSearchParams({ email: 'user@example.com', password: 'password' })
  const headers = { 'sec-fetch-site': 'same-origin' }
  const signedIn = await fetch('http://localhost/login', { method: 'POST', body, headers, redirect: 'manual' })
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
  for (const address of ['/', '/login', '/cont/cheie-api', '/_emulator/ui']) {
    const url = new URL(address, 'http://localhost')
    const page = await (await fetch(url, { headers: { cookie } })).text()
    const parts = [...page.matchAll(/<(?:link|script|img)\b[^>]*?(?:href|src)="([^"]+)"/g)].map(([, part = '']) => part)
    const texts = await Promise.all(parts.map(async (part) => (await fetch(new URL(part, url))).text()))
    const bytes = Buffer.byteLength([page, ...texts].join(''))
    const isSite = address !== '/_emulator/ui'
    expect(bytes, address).toBeLessThan(isSite ? 30_000 : 70_000)
    expect(texts.includes(style), address).toBe(isSite)
    expect(parts.join('\n'), address).not.toMatch(/^(https?:)?\/\//m)
  }
  await close()
})
