import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

/** Prints whether the emulator of `fh emulate -- node -e …` makes thumbnails of images. */
const ask = `fetch(process.env.FH_EMULATOR_URL + '/health').then((answer) => answer.json()).then(({ capabilities }) =>
  console.log(capabilities.includes('image_thumbnails')))`

consumerTest(
  'fh emulate finds sharp beside it: in a project, in the global folder, and in a run of npx',
  async ({ project }) => {
    const alone = await project('empty')
    const inProject = await project('empty', { install: ['sharp'] })
    const places = {
      'in a project without sharp': await alone.run('fh', 'emulate', '--', 'node', '-e', ask),
      'in a project with sharp': await inProject.run('fh', 'emulate', '--', 'node', '-e', ask),
      globally: await (async () => {
        const prefix = join(alone.folder, 'global')
        await alone.run('npm', 'i', '-g', '--prefix', prefix, inject('tarball'), 'sharp')
        return alone.run(join(prefix, 'bin/fh'), 'emulate', '--', 'node', '-e', ask)
      })(),
      'with npx': await (async () => {
        const npx = ['npx', '-y', '-p', inject('tarball'), '-p', 'sharp', 'fh', 'emulate', '--', 'node', '-e', ask]
        // In a project, npx would take what is installed there from there.
        return alone.run('sh', '-c', 'folder=$(mktemp -d); cd "$folder" && "$@"; rmdir "$folder"', 'sh', ...npx)
      })(),
    }
    const found = Object.fromEntries(Object.entries(places).map(([place, { stdout }]) => [place, stdout.trim()]))
    expect(Object.values(found)).toEqual(['false', 'true', 'true', 'true'])
  },
)
