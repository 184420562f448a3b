import { expect, test } from 'vitest'
import { version } from '../../package.json'
import { createRig } from '../helpers/rig.ts'

test('--version prints the version of the package', async () => {
  const { fh } = await createRig()
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
  for (const name of [...commands, 'help']) expect(stdout).toMatch(new RegExp(`^  ${name}[ ,]`, 'm'))
})

test.each([...commands, 'config set'])(
  'fh help %s prints what its --help prints, and names the flags of every command without listing them',
  async (name) => {
    const { fh } = await createRig()
    const asked = await fh(['help', ...name.split(' ')])
    expect([asked.code, asked.stderr]).toEqual([0, ''])
    expect(asked.stdout).toMatch(new RegExp(`^Usage: fh ${name} [^]*^Flags of every command: fh help flags$`, 'm'))
    expect(asked.stdout).not.toContain('--max-wait')
    expect((await fh([...name.split(' '), '--help'])).stdout.trimEnd()).toBe(asked.stdout.trimEnd())
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

test.each([
  [['config', 'colours'], /no help on "config colours"\n {2}Topics: list, get, set, unset, path, profiles, use\n/],
  [['upload', 'fast'], /no help on "upload fast"\n {2}See fh help upload\n/],
  [['photos'], /no help on "photos"\n {2}Topics: .*upload.*exit-codes/],
])('fh help on %j, which is no topic, ends with 2 and says what exists', async (topic, message) => {
  const { fh } = await createRig()
  expect(await fh(['help', ...topic])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

test('fh help explains exit codes and environment variables, the codes as JSON too', async () => {
  const { fh } = await createRig()
  expect((await fh(['help', 'exit-codes'])).stdout).toMatch(/^3\s+partial: some done, some failed/m)
  const { stdout } = await fh(['help', 'exit-codes', '--json'])
  expect(JSON.parse(stdout)[3]).toEqual({ code: 3, meaning: 'partial: some done, some failed' })
  expect((await fh(['help', 'environment'])).stdout).toMatch(/^FH_API_KEY {2}.*overrides a stored one$/m)
})

test.each([
  ['no command', [], /^Usage: fh <command>/],
  ['a group without its subcommand', ['config'], /^Usage: fh config/],
  ['a missing argument', ['show'], /^fh: Missing argument: slug\|url\n {2}fh help show lists its arguments/],
  ['an argument too many', ['show', 'a', 'b'], /^fh: Too many arguments: show takes 1, but got 2\n/],
  ['an invalid page', ['list', '--page', '0'], /^fh: --page: "0" is not valid\n {2}Give a whole number from 1\n$/],
  ['a page and all pages', ['list', '--page', '2', '--all'], /^fh: --all cannot be used with --page\n/],
  [
    'an invalid number of jobs',
    ['upload', '-j', 'many', 'a.jpg'],
    /^fh: --jobs: "many" .*\n {2}Give a number from 1 to/,
  ],
  ['a flag without its value', ['list', '--page'], /^fh: Missing value: --page <n>\n/],
  ['both kinds of JSON', ['list', '--json', '--jsonl'], /"--jsonl cannot be used with --json"/],
  ['JSON lines where there is one document', ['stats', '--jsonl'], /--jsonl is for upload, list, .*delete/],
  ['fields without JSON', ['upload', '--fields', 'url', 'a.jpg'], /--fields needs --json or --jsonl/],
  ['standard input twice', ['upload', '-', '-', '--name', 'a.jpg'], /only once/],
  ['a name without standard input', ['upload', 'a.jpg', '--name', 'b.jpg'], /--name is for standard input/],
  ['a name that is a path', ['upload', '-', '--name', '../a.jpg'], /is not the name of a file/],
  ['a command for the emulator without --', ['emulate', 'npm', 'test'], /\n {2}To run .* fh emulate -- npm test\n$/],
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
  const stderr = expect.stringContaining(`\n  For a file of that name: fh upload -- ${name}\n`)
  expect(await fh(['upload', name])).toMatchObject({ code: 2, stderr })
})

test('with --json a usage error is one line of JSON on stderr, and stdout is a JSON document', async () => {
  const { fh } = await createRig()
  const { stdout, stderr } = await fh(['list', '--json', '--pgae', '2'])
  expect(stdout).toBe('null\n')
  expect(JSON.parse(stderr)).toEqual({
    ...{ type: 'error', code: 'usage', exit_code: 2, http_status: null, window: null, retry_after_ms: null },
    ...{ message: 'Unknown flag: --pgae', hint: 'Did you mean --page?', request: null },
  })
})
