import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { installCommand } from '../../../src/environment/install-command.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const inProject = 'app/node_modules/filehost/dist/emulator.js'
const ofPnpm = 'app/node_modules/.pnpm/f/node_modules/filehost/dist/a.js'
const ofNpx = '_npx/1f/node_modules/filehost/dist/a.js'

test.each([
  ['a project', ['app/package.json'], inProject, 'npm i sharp'],
  ['a project of pnpm', ['app/package.json'], ofPnpm, 'npm i sharp'],
  ['the global folder', [], 'lib/node_modules/filehost/dist/cli/emulator.cjs', 'npm i -g sharp'],
  ['the cache of npx', ['_npx/1f/package.json'], ofNpx, 'npx -p filehost -p sharp fh'],
  ['this repository', [], 'filehost/src/environment/install-command.ts', 'npm i sharp'],
])('from %s, the command installs a package where this one finds it', async (_, others, file, command) => {
  const folder = temporaryFolder()
  for (const path of others) {
    await mkdir(dirname(`${folder}/${path}`), { recursive: true })
    await writeFile(`${folder}/${path}`, '{}')
  }
  expect(installCommand('sharp', pathToFileURL(`${folder}/${file}`).href)).toBe(command)
})

test('the binary, which finds no package, names the package of fh with the one that is missing', () => {
  expect(installCommand('sharp', 'binary:fh')).toBe('npm i -g filehost sharp')
})
