import { expect, test } from 'vitest'
import { clipboardTools } from '../../../../../src/cli/commands/upload/copy-and-open.ts'

test.each([
  ['macOS', 'darwin', {}, ['pbcopy']],
  ['macOS over SSH', 'darwin', { SSH_CONNECTION: 'x' }, []],
  ['Windows', 'win32', {}, ['clip.exe']],
  ['Windows over SSH', 'win32', { SSH_CONNECTION: 'x' }, []],
  ['Wayland', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['wl-copy']],
  ['Wayland with X', 'linux', { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' }, ['wl-copy', 'xclip', 'xsel']],
  ['X', 'linux', { DISPLAY: ':0' }, ['xclip', 'xsel']],
  ['X that is forwarded', 'linux', { DISPLAY: 'localhost:10', SSH_TTY: '/dev/pts/1' }, ['xclip', 'xsel']],
  ['Linux on Windows', 'linux', { WSL_DISTRO_NAME: 'Debian' }, ['clip.exe']],
  ['Linux over SSH', 'linux', { SSH_CONNECTION: 'x' }, []],
  ['no display', 'linux', { DISPLAY: '' }, []],
])('on %s the clipboard is reached by what leads to the user', (_, platform, env, commands) => {
  expect(clipboardTools(env, platform).map(([command]) => command)).toEqual(commands)
})
