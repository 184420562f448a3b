import { expect, test } from 'vitest'
import { shellExports, usualShell } from '../../../src/environment/shell-word.ts'

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
