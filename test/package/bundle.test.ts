import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const modules = [...builtinModules, /^node:/]

/** Bundles a program of the built package into one small file, in a folder without packages. */
async function bundled(program: string, format: 'es' | 'cjs' = 'es'): Promise<string> {
  const [project, away] = [temporaryFolder(), temporaryFolder()]
  await symlink(resolve('.'), join(project, 'filehost'))
  await writeFile(join(project, 'program.js'), program)
  await build({
    root: project,
    logLevel: 'silent',
    configFile: false,
    ssr: { noExternal: true },
    resolve: { alias: { filehost: resolve('dist/index.js'), undici: resolve('node_modules/undici') } },
    build: {
      ssr: 'program.js',
      minify: 'esbuild',
      outDir: away,
      // Vite would load it with the bundle: undici asks for it where a Node has it.
      commonjsOptions: { ignore: ['node:sqlite'] },
      rollupOptions: {
        external: modules,
        output: { format, inlineDynamicImports: true, entryFileNames: format === 'es' ? 'program.mjs' : 'program.cjs' },
      },
    },
  })
  return join(away, format === 'es' ? 'program.mjs' : 'program.cjs')
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

test.each(['es', 'cjs'] as const)(
  'a program that uploads with fetchTransport is bundled (%s) into less than 90 kB, and works',
  async (format) => {
    const file = await bundled(uploading(', fetchTransport', ', transport: fetchTransport()'), format)
    expect((await readFile(file)).length).toBeLessThan(90_000)
    expect(await run(file)).toBe('image/jpeg\n')
  },
)

test('a bundled program that names no transport works, far from undici', async () => {
  const file = await bundled(uploading('', ''))
  expect((await readFile(file)).length).toBeLessThan(90_000)
  expect(await run(file)).toBe('image/jpeg\n')
})

test('a bundled program that names undiciTransport has undici with it, and works', async () => {
  const file = await bundled(uploading(', undiciTransport', ', transport: undiciTransport()'), 'cjs')
  expect(await readFile(file, 'utf8')).toContain('UND_ERR_NOT_SUPPORTED')
  expect(await run(file)).toBe('image/jpeg\n')
})

test('a bundled program shares its ledger by createSharedLedger, and is told so where it writes shared', async () => {
  const unnamed = await bundled(uploading('', ", pacing: { ledger: 'shared' }"))
  await expect(run(unnamed)).rejects.toThrow(
    'give pacing.ledger: createSharedLedger({ folder, baseUrl, apiKey, limits: {} })',
  )
  const ledger = "createSharedLedger({ folder: 'state', baseUrl, apiKey, limits: {} })"
  const named = await bundled(uploading(', createSharedLedger', `, pacing: { ledger: ${ledger} }`))
  expect(await run(named)).toBe('image/jpeg\n')
})

test('undici is the default transport where the package is installed', async () => {
  const file = join(temporaryFolder(), 'program.mjs')
  const program = uploading('', '').replace("'filehost'", JSON.stringify(resolve('dist/index.js')))
  const withoutFetch = "globalThis.fetch = () => { throw new Error('The default is fetch') }"
  await writeFile(file, `${program}\n${withoutFetch}`)
  expect(await run(file)).toBe('image/jpeg\n')
})
