import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configFolder, stateFolder } from '../../../src/system/environment.ts'

const usual = join('/home/me', '.local', 'state', 'fh')

test.each([
  ['FH_STATE_DIR before all', { FH_STATE_DIR: '/state', XDG_STATE_HOME: '/xdg' }, 'linux', '/state'],
  ['a folder in XDG_STATE_HOME', { XDG_STATE_HOME: '/xdg' }, 'linux', join('/xdg', 'fh')],
  ['the usual one where that is relative', { XDG_STATE_HOME: 'xdg' }, 'linux', usual],
  ['the usual one where nothing is set', {}, 'darwin', usual],
  ['LOCALAPPDATA on Windows', { LOCALAPPDATA: '/local' }, 'win32', join('/local', 'fh')],
  ['its usual place on Windows', { LOCALAPPDATA: '' }, 'win32', join('/home/me', 'AppData', 'Local', 'fh')],
] as const)('what is remembered is kept in %s', (_, env, platform, folder) => {
  expect(stateFolder(env, platform, '/home/me')).toBe(folder)
})

test.each([
  ['FH_CONFIG_DIR', { FH_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/x' }, 'linux', '/c'],
  ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/x' }, 'linux', join('/x', 'fh')],
  ['~/.config if XDG_CONFIG_HOME is relative', { XDG_CONFIG_HOME: 'x' }, 'linux', join('/home/me', '.config', 'fh')],
  ['~/.config on macOS too', {}, 'darwin', join('/home/me', '.config', 'fh')],
  ['its usual place on Windows', { APPDATA: '' }, 'win32', join('/home/me', 'AppData', 'Roaming', 'fh')],
] as const)('the config folder is found by %s', (_, env, platform, folder) => {
  expect(configFolder(env, platform, '/home/me')).toBe(folder)
})

test.skipIf(process.platform === 'win32').each([
  ['HOME', { HOME: '/home/me' }, '/home/me'],
  ['what the system has for the user where HOME is empty', { HOME: '' }, userInfo().homedir],
  ['the same where HOME is relative', { HOME: 'here' }, userInfo().homedir],
  ['the same where HOME is not set', {}, userInfo().homedir],
] as const)('a folder of the working folder is never the home folder, but %s', (_, env, home) => {
  expect([configFolder(env), stateFolder(env)]).toEqual([join(home, '.config', 'fh'), join(home, '.local/state/fh')])
})
