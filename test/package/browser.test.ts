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

const ofEmulator = ['emulator', 'msw', 'vitest']

test('what bundlers get of the emulator has the names of all its entries, of the same kinds, and imports nothing', async () => {
  const [forBrowsers, ...entries] = await Promise.all(
    ['emulator-browser', ...ofEmulator].map((name) => load(`${name}.js`)),
  )
  const names = entries.flatMap((entry) => Object.keys(entry))
  expect(Object.keys(forBrowsers).sort()).toEqual(names.sort())
  expect(Object.values(forBrowsers).map((value) => typeof value)).toEqual(names.map(() => 'function'))
  expect(await readFile('dist/emulator-browser.js', 'utf8')).not.toMatch(/^import|\bimport\(/m)
})

test('Node comes before browsers, and of the emulator only bundlers get what refuses, since the jsdom of Jest runs in Node', async () => {
  const { exports } = JSON.parse(await readFile('package.json', 'utf8'))
  const conditions = Object.entries<object>(exports).filter(([, by]) => 'browser' in Object(by))
  expect(conditions.map(([entry, by]) => [entry, ...Object.keys(by)])).toEqual(
    ['.', './emulator', './msw', './vitest'].map((entry) => [entry, 'types', 'node', 'browser', 'default']),
  )
  for (const name of ofEmulator) {
    const path = `./dist/${name}.js`
    const browser = { module: './dist/emulator-browser.js', default: path }
    expect(exports[`./${name}`]).toMatchObject({ node: path, browser, default: path })
  }
})

test('a page that Vite builds with the library and the emulator loads, and says at each call why it does not work', async () => {
  const folder = userProject({
    'page.js': `
    import { createClient, FileHostError } from 'filehost'
    import { createEmulator } from 'filehost/emulator'
    import { emulatorHandlers } from 'filehost/msw'
    import { emulatorTest } from 'filehost/vitest'
    console.log(typeof FileHostError)
    const calls = [createClient, createEmulator, emulatorHandlers, emulatorTest, () => emulatorTest.extend]
    for (const call of calls) try { call({}) } catch (error) { console.log(error.code, error.message) }`,
  })
  const output = { entryFileNames: 'page.mjs' }
  const rollupOptions = { input: join(folder, 'page.js'), output }
  await build({ root: folder, configFile: false, logLevel: 'silent', build: { outDir: 'built', rollupOptions } })
  const { stdout } = await runNode(folder, 'built/page.mjs')
  const [kind, library, ...emulator] = stdout.trim().split('\n')
  expect([kind, library]).toEqual([
    'function',
    expect.stringMatching(/^not-for-browsers filehost does not run in browsers/),
  ])
  expect(emulator).toEqual(
    Array(4).fill(expect.stringMatching(/^not-for-browsers The emulator does not run in browsers/)),
  )
})
