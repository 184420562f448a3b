import { spawnSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'

function marked(words: readonly string[]): readonly string[] {
  return words.map((word) => `=${word}`)
}

test.each(['bash', 'zsh', 'fish', 'powershell'])(
  'fh completion %s prints a script that asks fh for suggestions',
  async (shell) => {
    const { fh, write, folder } = await createRig()
    const { code, stdout, stderr } = await fh(['completion', shell])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`completion ${shell}`)
    await write('script', stdout)
    const parser = spawnSync(shell, ['-n', join(folder, 'script')], { encoding: 'utf8' })
    // Only a shell that is installed can judge its script.
    if (parser.error === undefined) expect(parser.stderr).toBe('')
  },
)

test('completion for an unknown shell ends with 2 and lists the shells', async () => {
  const { fh } = await createRig()
  const { code, stderr } = await fh(['completion', 'tcsh'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/bash, zsh, fish, powershell/)])
})

test.each([
  [[''], /^words\nlogin\t(.*\n)*upload\tupload files/],
  [['up'], /^words\nupload\t.*\n$/],
  [['upload', '--form'], /^words\n--format\t.*\n$/],
  [['upload', '--format', ''], /^words\nurl\ndirect\nslug\n/],
  [['upload', ''], /^files\n$/],
  [['upload', '-j', '2', 'a.jpg', ''], /^files\n$/],
  [['upload', '--ca-cert', ''], /^files\n$/],
  [['upload', '--', '--no'], /^files\n$/],
  [['emulate', '--data', ''], /^folders\n$/],
  [['--color', 'al'], /^words\nalways\n$/],
  [['config', 'set', 'max'], /^words\nmax_wait\nmax_file_size\n$/],
  [['list', '--fields', 'slug,si'], /^words\nslug,size\n$/],
  [['help', 'ex'], /^words\nexit-codes\t.*\n$/],
  [['api', 'ge'], /^words\n$/],
  [['api', 'GET', '/api/s'], /^words\n\/api\/stats\n$/],
  [['show', 'one', ''], /^words\n$/],
  [['nothing', ''], /^words\n$/],
])('completion of %j suggests the next word', async (words, answer) => {
  const { fh } = await createRig()
  expect((await fh(['completion', 'zsh', ...marked(words)])).stdout).toMatch(answer)
})

test('completion suggests the profiles of the config file', async () => {
  const { fh } = await createRig()
  for (const name of ['work', 'home']) await fh(['config', 'set', 'retries', '1', '--profile', name])
  expect((await fh(['completion', 'fish', ...marked(['list', '--profile', ''])])).stdout).toBe('words\nwork\nhome\n')
})

test('completion suggests recent uploads from a file that only its owner can read, and sends no request', async () => {
  const { fh, home, emulator } = await emulatedRig()
  await fh(['completion', 'bash', '=sh'])
  const slug = (await fh(['upload', '--format', 'slug', mediaPath('photo.jpg')])).stdout.trim()
  const sent = emulator.control.requests.list().requests.length
  const offered = async (env = {}) => (await fh(['completion', 'bash', '=show', '='], { env })).stdout
  expect(await offered()).toMatch(new RegExp(`^words\n${slug}\timage/jpeg, 83\\.1 KB, .*\n$`))
  expect(await offered({ FH_API_KEY: 'another' })).toBe('words\n')
  expect(emulator.control.requests.list().requests).toHaveLength(sent)
  const folder = join(home, '.local/state/fh')
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await stat(join(folder, 'completion.json'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, 'completion.json'), 'utf8')).not.toContain(emulator.apiKey)
  await fh(['delete', '--yes', slug])
  expect(await offered()).toBe('words\n')
})

test('a run with --no-journal remembers no slug for completion', async () => {
  const { fh, home } = await emulatedRig()
  await fh(['completion', 'bash', '=sh'])
  expect((await fh(['upload', '--no-journal', mediaPath('photo.jpg')])).code).toBe(0)
  expect(await readFile(join(home, '.local/state/fh/completion.json'), 'utf8')).toBe('{}')
})

test('no slug is remembered before a shell has asked for a completion, even if its script was printed', async () => {
  const { fh, home } = await emulatedRig()
  await fh(['completion', 'bash'])
  expect((await fh(['upload', mediaPath('photo.jpg')])).code).toBe(0)
  expect(await readdir(join(home, '.local/state/fh'))).not.toContain('completion.json')
})

test('no command fails if the completion cache cannot be read or written', async () => {
  const { fh } = await emulatedRig()
  const env = { FH_STATE_DIR: '/dev/null/nowhere' }
  expect((await fh(['completion', 'bash', '=show', '='], { env })).stdout).toBe('words\n')
  expect((await fh(['list'], { env })).code).toBe(0)
})

/** What a shell prints that completes with the script of fh; undefined where that shell is not installed. */
async function inShell(shell: string, flags: readonly string[], lines: (script: string) => string) {
  const { fh, home } = await createRig()
  const { stdout: script } = await fh(['completion', shell])
  const { error, stdout } = spawnSync(shell, [...flags, '-c', lines(script)], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: home, FH: fhCommand.at(-1), LANG: 'C.UTF-8' },
  })
  return error === undefined ? stdout : undefined
}

test('completion works in a real bash, which splits words at =', async () => {
  const stdout = await inShell(
    'bash',
    ['--norc'],
    (script) => `${script}
set -u
COMP_WORDS=("$FH" upload --format = ma); COMP_CWORD=4; _fh "$FH"; echo "\${COMPREPLY[*]}"
COMP_WORDS=("$FH" do); COMP_CWORD=1; _fh "$FH"; echo "\${COMPREPLY[*]}"
COMP_WORDS=("$FH" emulate --set quota_windows = sl); COMP_CWORD=5; _fh "$FH"; echo "\${COMPREPLY[*]}"
COMP_WORDS=("$FH" emulate --set quota_w); COMP_CWORD=3; _fh "$FH"; echo "\${COMPREPLY[*]}"`,
  )
  expect(stdout).toBe('markdown\ndownload doctor\nsliding sliding_counter\nquota_windows=\n')
})

test('completion works in a real fish', async () => {
  const stdout = await inShell(
    'fish',
    ['--no-config'],
    (script) => `function fh; $FH $argv; end
${script}
complete -C 'fh emulate --set quota_windows=sl'
complete -C 'fh ls --sort s'`,
  )
  expect([undefined, 'quota_windows=sliding\nquota_windows=sliding_counter\nsize\n']).toContain(stdout)
})

test('completion works in a real zsh, which puts no space after NAME=', async () => {
  const stdout = await inShell(
    'zsh',
    ['-f'],
    (script) => `compdef() {}
_describe() { print -r -- "\${(@P)4}" "\${@:5}" }
${script}
words=($FH emulate --set quota_w); CURRENT=4; _fh
words=($FH list --type video/q); CURRENT=4; _fh`,
  )
  expect([undefined, 'quota_windows= -S \nvideo/quicktime\n']).toContain(stdout)
})
