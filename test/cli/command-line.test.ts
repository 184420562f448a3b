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

test.each([...commands, 'config set'])('fh help %s prints what its --help prints', async (name) => {
  const { fh } = await createRig()
  const asked = await fh(['help', ...name.split(' ')])
  expect([asked.code, asked.stderr]).toEqual([0, ''])
  expect(asked.stdout).toMatch(new RegExp(`^Usage: fh ${name} [^]*^Flags of every command: fh help flags$`, 'm'))
  expect(asked.stdout).not.toContain('--max-wait')
  expect((await fh([...name.split(' '), '--help'])).stdout.trimEnd()).toBe(asked.stdout.trimEnd())
})

test.each([
  ['ls', 'list'],
  ['get', 'download'],
  ['rm', 'delete'],
])('fh %s has the help and the errors of fh %s', async (alias, name) => {
  const { fh } = await createRig()
  const { stdout } = await fh(['help', name])
  expect((await fh(['help', alias])).stdout).toBe(stdout)
  expect((await fh([alias, '--help'])).stdout.trimEnd()).toBe(stdout.trimEnd())
  expect((await fh([alias, '--zzz'])).stderr).toContain(`fh help ${name} lists its arguments and flags`)
})

test('help on a command has its arguments and flags in groups, then where the others are, then examples', async () => {
  const { fh } = await createRig()
  const headings = async (name: string) =>
    [...(await fh(['help', name])).stdout.matchAll(/^(\w[\w ]*):/gm)].map(([, heading]) => heading)
  expect(await headings('config')).toEqual(['Usage', 'Commands', 'Flags of every command', 'Settings', 'Examples'])
  expect(await headings('show')).toEqual(['Usage', 'Arguments', 'Flags', 'Flags of every command', 'Examples'])
  const groups = ['Used most', 'Which files', 'How', 'What is shown']
  expect(await headings('upload')).toEqual(['Usage', 'Arguments', ...groups, 'Flags of every command', 'Examples'])
})

test('fh help explains exit codes and environment variables, the codes as JSON too', async () => {
  const { fh } = await createRig()
  expect((await fh(['help', 'exit-codes'])).stdout).toMatch(/^ +3\s+partial: some failed for good/m)
  const { stdout } = await fh(['help', 'exit-codes', '--json'])
  expect(JSON.parse(stdout)[3]).toEqual({
    code: 3,
    meaning: 'partial: some failed for good; others may succeed on retry (retryable in --json)',
  })
  expect((await fh(['help', 'environment'])).stdout).toMatch(/^ +FH_API_KEY {2}.*overrides a stored one$/m)
})

test('the hint about a file called -dash.jpg shows how to give its name', async () => {
  const [{ fh }, name] = [await createRig(), '-dash.jpg']
  const stderr = expect.stringContaining(`\n  Did you mean fh upload -- ${name}?\n`)
  expect(await fh(['upload', name])).toMatchObject({ code: 2, stderr })
})
