import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'

test('--version prints the version of the package', async () => {
  const { fh } = await createRig()
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const ended = { code: 0, signal: null, stdout: `${version}\n`, stderr: '' }
  expect(await fh(['--version'])).toEqual(ended)
  expect(await fh(['-V', '--json'])).toEqual({ ...ended, stdout: `{"version":"${version}"}\n` })
})

const commands = [
  ...['login', 'logout', 'upload', 'list', 'show', 'download', 'delete', 'stats', 'quota', 'api', 'doctor', 'config'],
  ...['emulate', 'completion'],
]

test('fh --help lists every command on stdout', async () => {
  const { fh } = await createRig()
  const { code, stdout, stderr } = await fh(['--help'])
  expect([code, stderr]).toEqual([0, ''])
  for (const name of [...commands, 'help']) {
    expect(stdout).toMatch(new RegExp(`^  ${name}[ ,]`, 'm'))
  }
})

test.each(commands)(
  'fh help %s prints examples and names the flags of every command, and so does --help',
  async (name) => {
    const { fh } = await createRig()
    const asked = await fh(['help', name])
    expect([asked.code, asked.stderr]).toEqual([0, ''])
    expect(asked.stdout).toMatch(/Examples:\n {2}fh /)
    expect(asked.stdout).toMatch(/^Flags of every command: fh help flags$/m)
    expect(asked.stdout).not.toContain('--max-wait')
    expect((await fh([name, '--help'])).stdout.trimEnd()).toBe(asked.stdout.trimEnd())
  },
)

test('help on a command has its arguments and flags in groups, then where the others are, then examples', async () => {
  const { fh } = await createRig()
  const headings = async (name: string) =>
    [...(await fh(['help', name])).stdout.matchAll(/^(\w[\w ]*):/gm)].map(([, heading]) => heading)
  expect(await headings('config')).toEqual(['Usage', 'Commands', 'Flags of every command', 'Settings', 'Examples'])
  expect(await headings('show')).toEqual(['Usage', 'Arguments', 'Flags', 'Flags of every command', 'Examples'])
  const groups = ['Used most', 'Which files', 'How', 'What is shown']
  expect(await headings('upload')).toEqual(['Usage', ...groups, 'Flags of every command', 'Examples'])
})

test('fh help on a subcommand prints the same as its --help', async () => {
  const { fh } = await createRig()
  const { code, stdout } = await fh(['help', 'config', 'set'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: fh config set /)])
  expect((await fh(['config', 'set', '--help'])).stdout.trimEnd()).toBe(stdout.trimEnd())
})

test.each([
  [['config', 'sett'], /no help on "config sett"\n {2}Did you mean set\?\n/],
  [['config', 'colours'], /no help on "config colours"\n {2}Topics: list, get, set, unset, path, profiles, use\n/],
  [['upload', 'fast'], /no help on "upload fast"\n {2}See fh help upload\n/],
])('fh help on %j, which is no subcommand, ends with 2 and says what exists', async (topic, message) => {
  const { fh } = await createRig()
  expect(await fh(['help', ...topic])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

test('fh help exit-codes explains every exit code', async () => {
  const { fh } = await createRig()
  const { stdout } = await fh(['help', 'exit-codes'])
  for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143]) expect(stdout).toMatch(new RegExp(`^${code}\\s`, 'm'))
  const { stdout: json } = await fh(['help', 'exit-codes', '--json'])
  expect(JSON.parse(json)[3]).toEqual({ code: 3, meaning: 'partial: some done, some failed' })
})

test('fh help environment explains the environment variables', async () => {
  const { fh } = await createRig()
  expect((await fh(['help', 'environment'])).stdout).toMatch(/^FH_API_KEY {2}.*overrides a stored one$/m)
})

test('fh help on an unknown topic ends with 2 and lists the topics', async () => {
  const { fh } = await createRig()
  const { code, stderr } = await fh(['help', 'photos'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/no help on "photos"\n {2}Topics: .*upload.*exit-codes/)])
})

test.each([
  ['no command', [], /^Usage: fh <command>/],
  ['a group without its subcommand', ['config'], /^Usage: fh config/],
  ['a misspelt command', ['uplod', 'a.jpg'], /^fh: Unknown command: uplod\n {2}Did you mean upload\?\n$/],
  ['a misspelt flag', ['list', '--limt', '3'], /^fh: Unknown flag: --limt\n {2}Did you mean --limit\?\n$/],
  ['a missing argument', ['show'], /^fh: Missing argument: slug\|url\n {2}fh help show lists its arguments/],
  ['an argument too many', ['show', 'a', 'b'], /^fh: Too many arguments: show takes 1, but got 2\n/],
  ['an invalid page', ['list', '--page', '0'], /^fh: --page: "0" is not valid\n {2}Give a whole number from 1\n$/],
  ['a page and all pages', ['list', '--page', '2', '--all'], /^fh: --all cannot be used with --page\n/],
  [
    'an invalid number of jobs',
    ['upload', '-j', 'many', 'a.jpg'],
    /^fh: --jobs: "many" is not valid\n {2}Give a number from 1 to 64\n$/,
  ],
  [
    'an unknown link format',
    ['upload', '--format', 'xml', 'a.jpg'],
    /^fh: --format: "xml" is not valid\n {2}Use one of url, direct, slug/,
  ],
  ['a flag without its value', ['list', '--page'], /^fh: Missing value: --page <n>\n/],
  ['both kinds of JSON', ['list', '--json', '--jsonl'], /"--jsonl cannot be used with --json"/],
  ['JSON lines where there is one document', ['stats', '--jsonl'], /--jsonl is for upload, list, .*delete/],
  ['an unknown field', ['list', '--fields', 'slug,sice'], /unknown field "sice"\n {2}Did you mean size\?\n/],
  ['a field that is near none', ['list', '--fields', 'weight'], /unknown field "weight"\n {2}Fields: slug, title, url/],
  ['fields without JSON', ['upload', '--fields', 'url', 'a.jpg'], /--fields needs --json or --jsonl/],
  ['standard input twice', ['upload', '-', '-', '--name', 'a.jpg'], /only once/],
  ['a name without standard input', ['upload', 'a.jpg', '--name', 'b.jpg'], /--name is for standard input/],
  ['a name that is a path', ['upload', '-', '--name', '../a.jpg'], /is not the name of a file/],
  [
    'a command for the emulator without --',
    ['emulate', 'npm', 'test'],
    /^fh: Unknown argument: npm\n {2}To run a command, put -- before it: fh emulate -- npm test\n$/,
  ],
])('%s ends with 2 and says why on stderr', async (_, args, message) => {
  const { fh } = await createRig()
  const { code, stdout, stderr } = await fh(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/\n\s+at /)
})

test.each(['-dash.jpg', '-jpeg.jpg'])('the hint about a file called %s shows how to give its name', async (name) => {
  const { fh, write } = await createRig()
  await write(name, 'x')
  const { code, stderr } = await fh(['upload', name])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`\n  For a file of that name: fh upload -- ${name}\n`)])
})

test('with --json a usage error is one line of JSON on stderr, and stdout is a JSON document', async () => {
  const { fh } = await createRig()
  const list = await fh(['list', '--json', '--pgae', '2'])
  expect(JSON.parse(list.stdout)).toBeNull()
  expect(JSON.parse(list.stderr)).toEqual({
    type: 'error',
    code: 'usage',
    exit_code: 2,
    http_status: null,
    window: null,
    retry_after_ms: null,
    message: 'Unknown flag: --pgae',
    hint: 'Did you mean --page?',
    request: null,
  })
  expect(JSON.parse((await fh(['stats', '--json', '--nope'])).stdout)).toBeNull()
  expect((await fh(['list', '--jsonl', '--nope'])).stdout).toBe('')
})
