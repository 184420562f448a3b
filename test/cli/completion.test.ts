import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

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
      inBash('upload pic', 2),
    ],
    'markdown\ndownload doctor\nsliding sliding_counter\nquota_windows=\npic-a.png pic-b.JPG\n',
  ],
  [
    'fish',
    ['fish', '--no-config', '-c'],
    [
      'function fh; $FH $argv; end',
      "complete -C 'fh emulate --set quota_windows=sl'",
      "complete -C 'fh ls --sort s'",
      "complete -C 'fh upload pic'",
    ],
    'quota_windows=sliding\nquota_windows=sliding_counter\nsize\npic-a.png\npic-b.JPG\n',
  ],
  [
    'zsh, which puts no space after NAME=',
    [
      'zsh',
      '-f',
      '-c',
      `compdef() {}; _describe() { print -r -- "\${(@P)4}" "\${@:5}" }\n_files() { print -r -- "$@" }\n`,
    ],
    [
      ...['words=($FH emulate --set quota_w); CURRENT=4; _fh', 'words=($FH list --type video/q); CURRENT=4; _fh'],
      'words=($FH upload pic); CURRENT=3; _fh',
    ],
    'quota_windows= -S \nvideo/quicktime\n-g *.(#i)(jpg|png|gif|webp|mp4|webm|mov|jpeg)\n',
  ],
])('completion works in a real %s', async (_, [shell = '', flag = '', c = '', before = ''], lines, expected) => {
  const { fh, home, folder, write } = await createRig()
  for (const name of ['pic-a.png', 'pic-b.JPG', 'pic-c.txt']) await write(name, '')
  const { stdout: script } = await fh(['completion', shell])
  const { error, stdout } = spawnSync(shell, [flag, c, [`${before}${script}`, ...lines].join('\n')], {
    encoding: 'utf8',
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, FH: fhCommand.at(-1), LANG: 'C.UTF-8' },
  })
  // Only a shell that is installed completes anything.
  if (error === undefined || shell === 'bash') expect(stdout).toBe(expected)
})

test('completion offers what was uploaded from here, but no slug that a shell would not take as it stands', async () => {
  const slugs = ['aB3dE6gH9j', '$(reboot)']
  const stored = slugs.map((slug) => answer(201, { upload: { ...uploadObject, slug } }))
  const service = await scriptedServer(...stored)
  const { fh, write } = await createRig({ service })
  for (const [index, name] of ['cat.jpg', 'dog.jpg'].entries()) {
    await write(name, jpegBytes(1_000 + index))
    await fh(['upload', '--force', name])
  }
  expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'POST'])
  expect((await fh(['completion', 'fish', '=show', '='])).stdout).toBe('words\naB3dE6gH9j\tcat.jpg\n')
  expect(service.requests).toHaveLength(2)
})
