import { spawnSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
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

test('completion suggests recent uploads from a file that only its owner can read, and sends no request', async () => {
  const { fh, home, emulator } = await emulatedRig()
  await fh(['completion', 'bash', '=sh'])
  const slug = (await fh(['upload', '--format', 'slug', mediaPath('photo.jpg')])).stdout.trim()
  const sent = emulator.control.requests.list().requests.length
  const offered = async (env = {}) => (await fh(['completion', 'bash', '=show', '='], { env })).stdout
  expect(await offered()).toMatch(new RegExp(`^words\n${slug}\timage/jpeg, 83\\.1 KB, .*\n$`))
  expect(await offered({ FH_API_KEY: 'another' })).toBe('words\n')
  expect(await offered()).toContain(slug)
  expect(emulator.control.requests.list().requests).toHaveLength(sent)
  const folder = join(home, '.local/state/fh')
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await stat(join(folder, 'completion.json'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, 'completion.json'), 'utf8')).not.toContain(emulator.apiKey)
  await fh(['delete', '--yes', slug])
  expect(await offered()).toBe('words\n')
})

test('no slug is remembered before a shell has asked for a completion, nor by a run with --no-journal', async () => {
  const { fh, home } = await emulatedRig()
  const state = join(home, '.local/state/fh')
  await fh(['completion', 'bash'])
  expect((await fh(['upload', mediaPath('photo.jpg')])).code).toBe(0)
  expect(await readdir(state)).not.toContain('completion.json')
  await fh(['completion', 'bash', '=sh'])
  expect((await fh(['upload', '--no-journal', mediaPath('photo.jpg')])).code).toBe(0)
  expect(await readFile(join(state, 'completion.json'), 'utf8')).toBe('{}')
})

test('no command fails if the completion cache cannot be read or written', async () => {
  const { fh } = await emulatedRig()
  const env = { FH_STATE_DIR: '/dev/null/nowhere' }
  expect((await fh(['completion', 'bash', '=show', '='], { env })).stdout).toBe('words\n')
  expect((await fh(['list'], { env })).code).toBe(0)
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
