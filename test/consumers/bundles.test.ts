import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { consumerTest, print } from './helpers/consumer-test.ts'
import { runProgram } from './helpers/run-program.ts'

const photo = resolve('test/fixtures/media/photo.jpg')
const esbuild = 'esbuild --bundle --platform=node --minify'
const rollup = 'rollup -p node-resolve -p commonjs -p terser'

/** What each command writes to `out/`, from which program. */
const bundles = {
  'esbuild, esm': `${esbuild} --format=esm upload.js --outfile=out/esm.mjs`,
  'esbuild, cjs': `${esbuild} --format=cjs upload.js --outfile=out/cjs.cjs`,
  'rollup and terser, esm': `${rollup} -f es upload.js -o out/rollup.mjs`,
  'esbuild, esm, no transport named': `${esbuild} --format=esm default.js --outfile=out/default.mjs`,
  'esbuild, cjs, with undici': `${esbuild} --format=cjs undici.js --outfile=out/undici.cjs`,
}

consumerTest(
  'bundles of a program that uploads run far from node_modules, and are small without undici',
  async ({ project }) => {
    const { folder, run } = await project('bundle')
    const away = await mkdtemp(join(tmpdir(), 'fh-away-'))
    try {
      const names = Object.entries(bundles)
      for (const [, command] of names) await run('sh', '-c', `${command} >/dev/null`)
      await cp(join(folder, 'out'), away, { recursive: true })
      expect((await readdir(away)).length).toBe(names.length)
      for (const [name, command] of names) {
        const file = join(away, /out\/(\S+)/.exec(command)?.[1] ?? '')
        const { size } = await stat(file)
        const fh = join(folder, 'node_modules/.bin/fh')
        const env = { PHOTO: photo }
        const { stdout, stderr } = await runProgram(away, fh, ['emulate', '--', 'node', file], { env })
        print(`${name.padEnd(34)} ${(size / 1_000).toFixed(1).padStart(6)} kB, uploads: ${stdout}`)
        expect(stdout, stderr).toMatch(/^image\/jpeg \d+\n$/)
        if (!name.includes('undici')) expect(size).toBeLessThan(135_000)
      }
    } finally {
      await rm(away, { recursive: true, force: true })
    }
  },
)
