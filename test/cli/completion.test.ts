import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'

test.each(['bash', 'zsh', 'fish', 'powershell'])('fh completion %s prints a script that asks fh', async (shell) => {
  const { fh, write, folder } = await createRig()
  const { code, stdout, stderr } = await fh(['completion', shell])
  expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining(`completion ${shell}`)])
  await write('script', stdout)
  const parser = spawnSync(shell, ['-n', join(folder, 'script')], { encoding: 'utf8' })
  // Only a shell that is installed can judge its script.
  if (parser.error === undefined) expect(parser.stderr).toBe('')
})

test('completion sends no request and keeps no file', async () => {
  const { fh, home, emulator } = await emulatedRig()
  expect((await fh(['completion', 'bash', '=show', '='])).stdout).toBe('words\n')
  expect(emulator.control.requests.list().requests).toEqual([])
  await expect(readdir(join(home, '.local'))).rejects.toThrow('ENOENT')
})

const inBash = (words: string, place: number) =>
  `COMP_WORDS=("$FH" ${words}); COMP_CWORD=${place}; _fh "$FH"; echo "\${COMPREPLY[*]}"`

test.each([
  [
    'bash, which splits words at =',
    ['bash', '--norc', '-c'],
    [
      ...['set -u', inBash('upload --format = ma', 4), inBash('do', 1)],
      ...[inBash('emulate --set quota_windows = sl', 5), inBash('emulate --set quota_w', 3)],
    ],
    'markdown\ndownload doctor\nsliding sliding_counter\nquota_windows=\n',
  ],
  [
    'fish',
    ['fish', '--no-config', '-c'],
    ['function fh; $FH $argv; end', "complete -C 'fh emulate --set quota_windows=sl'", "complete -C 'fh ls --sort s'"],
    'quota_windows=sliding\nquota_windows=sliding_counter\nsize\n',
  ],
  [
    'zsh, which puts no space after NAME=',
    ['zsh', '-f', '-c', `compdef() {}; _describe() { print -r -- "\${(@P)4}" "\${@:5}" }\n`],
    ['words=($FH emulate --set quota_w); CURRENT=4; _fh', 'words=($FH list --type video/q); CURRENT=4; _fh'],
    'quota_windows= -S \nvideo/quicktime\n',
  ],
])('completion works in a real %s', async (_, [shell = '', flag = '', c = '', before = ''], lines, expected) => {
  const { fh, home } = await createRig()
  const { stdout: script } = await fh(['completion', shell])
  const { error, stdout } = spawnSync(shell, [flag, c, [`${before}${script}`, ...lines].join('\n')], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: home, FH: fhCommand.at(-1), LANG: 'C.UTF-8' },
  })
  // Only a shell that is installed completes anything.
  if (error === undefined || shell === 'bash') expect(stdout).toBe(expected)
})
