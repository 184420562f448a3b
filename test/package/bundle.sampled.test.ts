import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import * as vite from 'vite'
import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { sample } from '../sampling/sample.ts'

type Format = 'esm' | 'cjs'

/** A folder with a program and the built package. */
async function project(program: string): Promise<string> {
  const folder = temporaryFolder()
  await mkdir(join(folder, 'node_modules'))
  await symlink(resolve('.'), join(folder, 'node_modules/filehost'))
  await writeFile(join(folder, 'upload.js'), program)
  return folder
}

/** Bundles a program into one small file, in a folder without packages. @returns the file */
async function bundled(program: string, format: Format = 'esm'): Promise<string> {
  const outfile = join(temporaryFolder(), format === 'esm' ? 'program.mjs' : 'program.cjs')
  await esbuild.build({
    entryPoints: [join(await project(program), 'upload.js')],
    outfile,
    format,
    bundle: true,
    minify: true,
    platform: 'node',
    logLevel: 'error',
  })
  return outfile
}

/** The same by Rollup, which Vite drives. */
async function bundledByVite(program: string): Promise<string> {
  const away = temporaryFolder()
  await vite.build({
    root: await project(program),
    logLevel: 'silent',
    configFile: false,
    ssr: { noExternal: true },
    build: {
      ssr: 'upload.js',
      minify: 'esbuild',
      outDir: away,
      rollupOptions: {
        external: [...builtinModules, /^node:/],
        output: { inlineDynamicImports: true, entryFileNames: 'program.mjs' },
      },
    },
  })
  return join(away, 'program.mjs')
}

/** Runs a bundle against an emulator. @returns what it prints */
async function run(file: string): Promise<string> {
  await using emulator = await createEmulator({ clock: 'virtual' })
  const { baseUrl } = await emulator.listen({ port: 0 })
  const env = {
    PATH: process.env['PATH'],
    FH_BASE_URL: baseUrl,
    FH_API_KEY: emulator.apiKey,
    PHOTO: mediaPath('photo.jpg'),
  }
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

const size = async (file: string) => (await readFile(file)).length

const small = [
  ['fetchTransport', 'esm', 135_000],
  ['fetchTransport', 'cjs', 135_000],
  ['nodeTransport', 'esm', 160_000],
  ['nodeTransport', 'cjs', 160_000],
] as const

const withUndici = uploading(', undiciTransport', ', transport: undiciTransport()')

/** By the fact that each shows. */
const facts: Readonly<Record<string, () => Promise<void>>> = {
  ...Object.fromEntries(
    small.map(([name, format, limit]) => [
      `a program that names ${name} is bundled (${format}) into less than ${limit} bytes, and works`,
      async () => {
        const file = await bundled(uploading(`, ${name}`, `, transport: ${name}()`), format)
        expect(await size(file)).toBeLessThan(limit)
        expect(await run(file)).toBe('image/jpeg\n')
      },
    ]),
  ),

  ...Object.fromEntries(
    Object.entries({ esbuild: bundled, Rollup: bundledByVite }).map(([bundler, bundle]) => [
      `a program that names no transport is bundled by ${bundler} far from undici, and works`,
      async () => {
        const file = await bundle(uploading('', ''))
        expect(await size(file)).toBeLessThan(135_000)
        expect(await run(file)).toBe('image/jpeg\n')
      },
    ]),
  ),

  async 'a bundled program that names undiciTransport has undici with it, and works'() {
    const file = await bundled(withUndici, 'cjs')
    expect(await readFile(file, 'utf8')).toContain('UND_ERR_NOT_SUPPORTED')
    expect(await run(file)).toBe('image/jpeg\n')
  },

  async 'a program that names undiciTransport works as an ES module where docs/library.md bundles it'() {
    const [, command = ''] = /```sh\n(esbuild [^`]+)\n```/.exec(await readFile('docs/library.md', 'utf8')) ?? []
    const folder = await project(withUndici)
    const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}:${process.env['PATH']}` }
    await promisify(execFile)('sh', ['-c', command], { cwd: folder, env })
    expect(await run(join(folder, 'upload.mjs'))).toBe('image/jpeg\n')
    // The way out is needed.
    await expect(run(await bundled(withUndici))).rejects.toThrow('Dynamic require of')
  },

  async 'a bundled program shares its ledger by createSharedLedger, and is told so where it writes shared'() {
    const unnamed = await bundled(uploading('', ", pacing: { ledger: 'shared' }"))
    await expect(run(unnamed)).rejects.toThrow(
      'give pacing.ledger: createSharedLedger({ folder, baseUrl, apiKey, limits: {} })',
    )
    const ledger = "createSharedLedger({ folder: 'state', baseUrl, apiKey, limits: {} })"
    const named = await bundled(uploading(', createSharedLedger', `, pacing: { ledger: ${ledger} }`))
    expect(await run(named)).toBe('image/jpeg\n')
  },

  async 'a bundled program downloads to a stream, and is told to give one where it gives a path'() {
    const downloading = (to: string) =>
      uploading('', '').replace('console.log(upload.mime_type)', `await client.download(upload.slug, ${to})`)
    const program = downloading("require('node:fs').createWriteStream('a.jpg')")
    const file = await bundled(program, 'cjs')
    await run(file)
    expect((await readFile(join(file, '../a.jpg'))).equals(await readFile(mediaPath('photo.jpg')))).toBe(true)
    await expect(run(await bundled(downloading("'a.jpg'")))).rejects.toThrow(
      'give a stream, such as fs.createWriteStream',
    )
  },

  async 'undici is the default transport where the package is installed'() {
    const file = join(temporaryFolder(), 'program.mjs')
    const program = uploading('', '').replace("'filehost'", JSON.stringify(resolve('dist/index.js')))
    const withoutFetch = "globalThis.fetch = () => { throw new Error('The default is fetch') }"
    await writeFile(file, `${program}\n${withoutFetch}`)
    expect(await run(file)).toBe('image/jpeg\n')
  },
}

test.each(sample(Object.keys(facts), 3))('%s', async (fact) => {
  await facts[fact]?.()
})
