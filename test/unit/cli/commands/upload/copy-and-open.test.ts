import { expect, test } from 'vitest'
import {
  clipboardInput,
  clipboardSequence,
  clipboardTools,
} from '../../../../../src/cli/commands/upload/copy-and-open.ts'

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
  expect(clipboardTools(env, platform).map(({ command }) => command)).toEqual(commands)
})

test('Windows takes letters of all scripts in UTF-16 with its mark', () => {
  const [clip] = clipboardTools({}, 'win32')
  expect(clip?.encoding).toBe('utf16le')
  expect(clipboardInput('ș', 'utf16le')).toEqual(Buffer.from([0xff, 0xfe, 0x19, 0x02]))
  expect(clipboardInput('ș', 'utf8')).toEqual(Buffer.from('ș'))
})

test('a terminal takes a text as base64, and none that it would drop', () => {
  expect(clipboardSequence('http://h/ș')).toBe('\u001b]52;c;aHR0cDovL2gvyJk=\u0007')
  expect(clipboardSequence('x'.repeat(56_244))).toHaveLength(74_992 + 8)
  expect(clipboardSequence('x'.repeat(56_246))).toBeUndefined()
})
