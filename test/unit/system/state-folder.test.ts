import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stateFolder } from '../../../src/system/private-folder.ts'

const usual = join('/home/me', '.local', 'state', 'fh')

test.each([
  ['FH_STATE_DIR before all', { FH_STATE_DIR: '/state', XDG_STATE_HOME: '/xdg' }, 'linux', '/state'],
  ['a folder in XDG_STATE_HOME', { XDG_STATE_HOME: '/xdg' }, 'linux', join('/xdg', 'fh')],
  ['the usual one where that is relative', { XDG_STATE_HOME: 'xdg' }, 'linux', usual],
  ['the usual one where nothing is set', {}, 'darwin', usual],
  ['LOCALAPPDATA on Windows', { LOCALAPPDATA: '/local' }, 'win32', join('/local', 'fh')],
  ['its usual place on Windows', {}, 'win32', join('/home/me', 'AppData', 'Local', 'fh')],
] as const)('what is remembered is kept in %s', (_, env, platform, folder) => {
  expect(stateFolder(env, platform, '/home/me')).toBe(folder)
})
