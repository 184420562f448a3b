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
    'bash, which no longer splits words at =',
    ['bash', '--norc', '-c'],
    [...['set -u', inBash('upload --format=ma', 2), inBash('do', 1)], 'echo "$COMP_WORDBREAKS" | grep -c ='],
    '--format=markdown\ndownload doctor\n0\n',
  ],
  [
    'fish',
    ['fish', '--no-config', '-c'],
    ['function fh; $FH $argv; end', "complete -C 'fh ls --sort s'", "complete -C 'fh upload pic'"],
    'size\n',
  ],
  [
    'zsh',
    ['zsh', '-f', '-c', `compdef() {}; compadd() { print -r -- "\${@:2}" }\n_files() { print -r -- "$@" }\n`],
    ['words=($FH list --type video/q); CURRENT=4; _fh'],
    'video/quicktime\n',
  ],
])('completion works in a real %s', async (_, [shell = '', flag = '', c = '', before = ''], lines, expected) => {
  const { fh, home, folder } = await createRig()
  const { stdout: script } = await fh(['completion', shell])
  const { error, stdout } = spawnSync(shell, [flag, c, [`${before}${script}`, ...lines].join('\n')], {
    encoding: 'utf8',
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, FH: fhCommand.at(-1), LANG: 'C.UTF-8' },
  })
  // Only a shell that is installed completes anything.
  if (error === undefined || shell === 'bash') expect(stdout).toBe(expected)
})

test.each([
  ['list --type image/', 'words\nimage/jpeg\nimage/png\nimage/gif\nimage/webp\n'],
  ['ls --type video/q', 'words\nvideo/quicktime\n'],
  ['upload --limits ', 'words\nnone\n'],
  ['upload --max-file-size=n', 'words\n--max-file-size=none\n'],
  ['upload --files-from ', 'files\n'],
  ['download -O ', 'files\n'],
  ['config set max', 'words\nmax_wait\nmax_file_size\n'],
  ['config set max_wait 5m ', 'words\n'],
  ['help e', 'words\nemulate\nexit-codes\nenvironment\n'],
  ['api ge', 'words\n'],
  ['r', 'words\nrm\n'],
  ['upload -j 2 a.jpg ', 'files\n'],
  ['emulate e', 'words\nenv\n'],
  ['emulate -- ', 'files\n'],
])('"fh %s" completes to %j', async (words, expected) => {
  const { fh } = await createRig()
  const marked = words.split(' ').map((word) => `=${word}`)
  expect((await fh(['completion', 'fish', ...marked])).stdout).toEqual(expected)
})
