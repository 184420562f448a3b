import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import * as vite from 'vite'
import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { userProject } from '../helpers/user-project.ts'
import { sample } from '../sampling/sample.ts'

/** Bundles a program into one file, in a folder without packages. @returns the file */
async function bundled(program: string, format: 'esm' | 'cjs' = 'esm'): Promise<string> {
  const outfile = join(temporaryFolder(), format === 'esm' ? 'program.mjs' : 'program.cjs')
  const entryPoints = [join(userProject({ 'upload.js': program }), 'upload.js')]
  await esbuild.build({ entryPoints, outfile, format, bundle: true, minify: true, platform: 'node', logLevel: 'error' })
  return outfile
}

/** The same by Rollup, which Vite drives. */
async function bundledByVite(program: string): Promise<string> {
  const outDir = temporaryFolder()
  const output = { inlineDynamicImports: true, entryFileNames: 'program.mjs' }
  const rollupOptions = { external: [...builtinModules, /^node:/], output }
  await vite.build({
    root: userProject({ 'upload.js': program }),
    logLevel: 'silent',
    configFile: false,
    ssr: { noExternal: true },
    build: { ssr: 'upload.js', minify: 'esbuild', outDir, rollupOptions },
  })
  return join(outDir, 'program.mjs')
}

/** Runs a bundle against an emulator. @returns what it prints */
async function run(file: string): Promise<string> {
  await using emulator = await createEmulator({ clock: 'virtual' })
  const { baseUrl: FH_BASE_URL } = await emulator.listen({ port: 0 })
  const env = { PATH: process.env['PATH'], FH_BASE_URL, FH_API_KEY: emulator.apiKey, PHOTO: mediaPath('photo.jpg') }
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: join(file, '..'), env })
  expect(emulator.control.health().uploads).toBe(1)
  return stdout
}

const uploading = (names: string, options: string) => `
import { createClient${names} } from 'filehost'
const { FH_BASE_URL: baseUrl, FH_API_KEY: apiKey, PHOTO } = process.env
const client = createClient({ baseUrl, apiKey${options} })
client.upload(PHOTO).then(async (upload) => {
  console.log(upload.mime_type)
  await client.close()
})`

const unnamed = uploading('', '')
const withUndici = uploading(', undiciTransport', ', transport: undiciTransport()')
const named = (name: string, format?: 'cjs') => bundled(uploading(`, ${name}`, `, transport: ${name}()`), format)

/** Programs that make no use of undici, or whose bundler gives it a way to require modules of Node. */
const plain: readonly (readonly [what: string, bundle: () => Promise<string>])[] = [
  ['names fetchTransport, as an ES module,', () => named('fetchTransport')],
  ['names nodeTransport, as an ES module,', () => named('nodeTransport')],
  ['names nodeTransport, from CommonJS,', () => named('nodeTransport', 'cjs')],
  ['names no transport, from CommonJS,', () => bundled(unnamed, 'cjs')],
  ['names no transport, by Rollup,', () => bundledByVite(unnamed)],
]

/** By the fact that each shows. */
const facts: Readonly<Record<string, () => Promise<void>>> = {
  ...Object.fromEntries(
    plain.map(([what, bundle]) => [
      `a program that ${what} works in a bundle`,
      async () => expect(await run(await bundle())).toBe('image/jpeg\n'),
    ]),
  ),

  async 'a program that names undiciTransport works as an ES module where docs/library.md bundles it'() {
    const [, command = ''] = /```sh\n(esbuild [^`]+)\n```/.exec(await readFile('docs/library.md', 'utf8')) ?? []
    const folder = userProject({ 'upload.js': withUndici })
    const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}:${process.env['PATH']}` }
    await promisify(execFile)('sh', ['-c', command], { cwd: folder, env })
    expect(await run(join(folder, 'upload.mjs'))).toBe('image/jpeg\n')
    // The way out is needed.
    await expect(run(await bundled(withUndici))).rejects.toThrow('Dynamic require of')
  },

  async 'a bundled program shares its ledger and downloads to a path'() {
    const sharing = "pacing: { ledger: 'shared', folder: 'state' }, transport: nodeTransport()"
    const downloading = uploading(', nodeTransport', `, ${sharing}`).replace(
      'console.log(upload.mime_type)',
      "await client.download(upload.slug, 'a.jpg')",
    )
    const file = await bundled(downloading)
    await run(file)
    expect((await readFile(join(file, '../a.jpg'))).equals(await readFile(mediaPath('photo.jpg')))).toBe(true)
    expect(await readdir(join(file, '../state'))).toEqual(['quota.db', 'quota.db-journal', 'runs'])
  },

  async 'undici is the default transport where the package is installed'() {
    const withoutFetch = "globalThis.fetch = () => { throw new Error('The default is fetch') }"
    const folder = userProject({ 'program.mjs': `${unnamed}\n${withoutFetch}` })
    expect(await run(join(folder, 'program.mjs'))).toBe('image/jpeg\n')
  },
}

test.each(sample(Object.keys(facts), 3))('%s', async (fact) => {
  await facts[fact]?.()
})
