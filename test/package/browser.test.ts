import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { runNode, userProject } from '../helpers/user-project.ts'

const load = (file: string) => import(/* @vite-ignore */ pathToFileURL(resolve('dist', file)).href)

test('what browsers get of the library has all its names, of the same kinds, and imports nothing', async () => {
  const [library, forBrowsers] = await Promise.all([load('index.js'), load('browser.js')])
  const kinds = (module: object) =>
    Object.fromEntries(Object.entries(module).map(([name, value]) => [name, typeof value]))
  expect(kinds(forBrowsers)).toEqual(kinds(library))
  expect(await readFile('dist/browser.js', 'utf8')).not.toMatch(/^import|\bimport\(/m)
})

test('each function of the library refuses to run in a browser, and says what to do instead', async () => {
  const module = await load('browser.js')
  const functions = ['createClient', 'createSharedLedger', 'fetchTransport', 'nodeTransport', 'undiciTransport']
  for (const call of [...functions.map((name) => module[name]), module.systemClock.now]) {
    const hint = expect.stringMatching(/^Call filehost in your server/)
    expect(call).toThrow(expect.objectContaining({ code: 'not-for-browsers', hint }))
  }
})

test('only the library has a build for browsers: Node comes before it, and the emulator, MSW and Vitest have none', async () => {
  const { exports } = JSON.parse(await readFile('package.json', 'utf8'))
  const conditions = Object.fromEntries(Object.entries(exports).map(([entry, by]) => [entry, Object.keys(Object(by))]))
  expect(conditions['.']).toEqual(['types', 'node', 'browser', 'default'])
  expect(conditions['./emulator']).toEqual(['types', 'default'])
  expect(Object.entries(conditions).filter(([, names]) => names.includes('browser'))).toHaveLength(1)
})

test('a page that Vite builds with the library loads, and says at createClient why it does not work', async () => {
  const folder = userProject({
    'page.js': `
    import { createClient, FileHostError } from 'filehost'
    console.log(typeof FileHostError)
    try { createClient({}) } catch (error) { console.log(error.message) }`,
  })
  const output = { entryFileNames: 'page.mjs' }
  const rollupOptions = { input: join(folder, 'page.js'), output }
  await build({ root: folder, configFile: false, logLevel: 'silent', build: { outDir: 'built', rollupOptions } })
  const { stdout } = await runNode(folder, 'built/page.mjs')
  expect(stdout).toMatch(/^function\nfilehost does not run in browsers: a page would give its API key to everybody/)
})
