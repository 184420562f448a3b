import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { version } from '../../package.json'
import { createRig } from '../helpers/rig.ts'

const ours = `${version}-${process.version}-${process.arch}-`
const [said, other] = ['show one upload', 'SHOW ONE UPLOAD']
const name = readdirSync('dist/cli').find((entry) => entry.startsWith('start-run-')) ?? ''
const code = readFileSync(join('dist/cli', name), 'utf8').replace(said, other)
const wrapped = `(function (exports, require, module, __filename, __dirname) { ${code}\n})`
const compiled = new Script(wrapped).createCachedData()
const head = JSON.stringify([[name, compiled.length]])
/** Code that V8 takes for that of a file of fh, and that says something else. */
const half = Buffer.concat([Buffer.from(`${head.padEnd(Math.ceil((head.length + 1) / 8) * 8 - 1)}\n`), compiled])
const planted = Buffer.concat([half, half])

/** A home where `fh --help` has run, and so left code in `file`. */
async function keepingRig() {
  const rig = await createRig({ env: { NODE_DISABLE_COMPILE_CACHE: '' } })
  const state = join(rig.home, '.local/state/fh')
  const [folder, file] = [join(state, 'compiled'), join(state, 'compiled', `${ours}-help`)]
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const help = async (env = {}) => (await rig.program(['--help'], { env })).stdout
  return { ...rig, state, folder, file, help, first: await help() }
}

test('a run uses the code that V8 compiled in an earlier one, and keeps it by command, fh emulate once it is ready; flags first share one file', async () => {
  const { program, folder, file, help, first } = await keepingRig()
  expect(first).toContain(said)
  const kept = readFileSync(file)
  expect(await help()).toBe(first)
  expect(readFileSync(file).equals(kept)).toBe(true)
  writeFileSync(file, planted)
  expect(await help()).toContain(other)
  for (const words of ['config path', 'config --help', 'config nonsense', '-q']) await program(words.split(' '))
  await program(['emulate', '--', process.execPath, '-e', 'process.kill(process.ppid, "SIGKILL")'])
  const flagged = async () => {
    for (const words of ['config path', 'help flags']) await program(['--color', 'always', ...words.split(' ')])
    return readFileSync(join(folder, `${ours}flags`), 'latin1')
  }
  expect(await flagged()).toBe(await flagged())
  const all = ['-help', 'config', 'config-help', 'emulate', 'flags']
  expect(readdirSync(folder).sort()).toEqual(all.map((name) => ours + name))
})

test('damaged code is compiled again: a torn file, a changed byte, nothing but zeros, the code of another V8', async () => {
  const { file, help, first } = await keepingRig()
  const changed = Buffer.from(planted)
  changed.writeUInt8(changed.readUInt8(half.length - 9) ^ 1, half.length - 9)
  const foreign = Buffer.from(half).fill(7, half.indexOf('\n') + 1)
  for (const bytes of [half, half.subarray(1), changed, Buffer.alloc(4_096), Buffer.concat([foreign, foreign])]) {
    writeFileSync(file, bytes)
    expect(await help()).toBe(first)
    expect(readFileSync(file).equals(bytes)).toBe(false)
  }
})

test.each<[string, (rig: Awaited<ReturnType<typeof keepingRig>>) => void]>([
  ['a folder that others can write', ({ folder }) => chmodSync(folder, 0o770)],
  ['a state folder that others can write', ({ state }) => chmodSync(state, 0o707)],
  ['a folder behind a link', ({ folder }) => [renameSync(folder, `${folder}-2`), symlinkSync(`${folder}-2`, folder)]],
  ['a file behind a link', ({ file }) => [renameSync(file, `${file}-2`), symlinkSync(`${file}-2`, file)]],
  ['a folder of another user', ({ folder }) => chownSync(folder, 54_321, 54_321)],
  ['a file of another user', ({ file }) => chownSync(file, 54_321, 54_321)],
])('code in %s is not used', async (where, change) => {
  if (/user/.test(where) && process.getuid?.() !== 0) return
  const rig = await keepingRig()
  writeFileSync(rig.file, planted)
  change(rig)
  expect(await rig.help()).toBe(rig.first)
})

test('only what fh has left is removed: code of another version, and drafts of killed processes after a minute', async () => {
  const { folder, file, help } = await keepingRig()
  const theirs = ['thesis.pdf', '0.9.0-notes', `${ours}stats.77`]
  const left = [...theirs, '0.9.0-v20.20.2-x64-stats', `${ours}stats.78`, `${ours}-help.79`]
  for (const name of left) writeFileSync(join(folder, name), '')
  const old = new Date(Date.now() - 120_000)
  for (const name of [...theirs.slice(0, 2), ...left.slice(-2)]) utimesSync(join(folder, name), old, old)
  mkdirSync(join(folder, '0.8.0-v20.20.2-x64-list'))
  writeFileSync(file, 'damaged')
  await help()
  expect(readdirSync(folder).sort()).toEqual([...theirs, '0.8.0-v20.20.2-x64-list', `${ours}-help`].sort())
})

test('no folder is made in a state folder of another user, that others can write, or that FH_STATE_DIR names', async () => {
  const { folder, state, help, first } = await keepingRig()
  rmSync(folder, { recursive: true })
  chmodSync(state, 0o777)
  expect(await help()).toBe(first)
  chmodSync(state, 0o700)
  expect(await help({ FH_STATE_DIR: state })).toBe(first)
  if (process.getuid?.() === 0) {
    chownSync(state, 54_321, 54_321)
    expect(await help()).toBe(first)
  }
  expect(readdirSync(state)).toEqual([])
})

test('code is kept for the version that runs, where fh keeps state, and not by a long run or with options of Node', async () => {
  const { program, folder, file, help, first, home, env } = await keepingRig()
  writeFileSync(file, 'damaged')
  for (const env of [{ NODE_OPTIONS: '--no-opt' }, { NODE_DISABLE_COMPILE_CACHE: '1' }]) await help(env)
  const long = join(home, '../long.cjs')
  writeFileSync(long, `process.uptime = () => 6; require(${JSON.stringify(resolve('bin/fh.js'))})`)
  expect(execFileSync(process.execPath, [long, '--help'], { env, encoding: 'utf8' })).toBe(first)
  expect(readFileSync(file, 'latin1')).toBe('damaged')
  writeFileSync(join(folder, '0.9.0-v20.20.2-x64-stats'), '')
  const runs = await Promise.all([1, 2, 3].map(() => program(['--help'])))
  expect(runs.map(({ stdout, stderr }) => stdout + stderr)).toEqual([first, first, first])
  expect(readdirSync(folder)).toEqual([`${ours}-help`])
  for (const place of ['new', '.local/state/fh/compiled/-help/below']) {
    expect(await program(['--help'], { env: { HOME: join(home, place) } })).toMatchObject({ stdout: first, stderr: '' })
  }
  expect(readdirSync(home)).toEqual(['.local'])
})
