import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { dotenvLines, shellExports, usualShell } from '../../../src/environment/shell-word.ts'

test.each([
  ['sh', "export A='it'\\''s \\ $x'"],
  ['fish', "set -gx A 'it\\'s \\\\ $x'"],
  ['powershell', "$env:A = 'it''s \\ $x'"],
] as const)('a value with quotes, backslashes and variables reaches %s unchanged', (shell, line) => {
  expect(shellExports({ A: "it's \\ $x" }, shell)).toEqual([line])
})

test.each([
  ['/usr/bin/fish', 'linux', 'fish'],
  ['/bin/zsh', 'darwin', 'sh'],
  ['/usr/bin/pwsh', 'linux', 'powershell'],
  ['', 'win32', 'powershell'],
  ['', 'linux', 'sh'],
  ['/usr/bin/bash.exe', 'win32', 'sh'],
] as const)('with SHELL=%s on %s variables are exported for %s', (SHELL, platform, shell) => {
  expect(usualShell({ SHELL }, platform)).toBe(shell)
})

test.each([
  'http://127.0.0.1:4884',
  'burst=20,minute=60',
  'two words',
  '$HOME # no comment',
  "it's",
  'a "quoted" word',
  'it\'s "both"',
  'back\\slash\\n',
  '`',
])('the value %s of a .env file is read back as it is', (value) => {
  expect(parseEnv(dotenvLines({ FH_API_KEY: value }).join('\n'))).toEqual({ FH_API_KEY: value })
})

test('a plain value of a .env file has no quotes, which Docker would take for a part of it', () => {
  expect(dotenvLines({ FH_LIMITS: 'burst=20,minute=none' })).toEqual(['FH_LIMITS=burst=20,minute=none'])
})
