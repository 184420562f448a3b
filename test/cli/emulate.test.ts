import { readFileSync } from 'node:fs'
import { mkdir, readFile, truncate } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { boundByPermissions, permissionTest } from '../helpers/bound-by-permissions.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'
import { until } from '../helpers/until.ts'

/** A command that prints its environment and arguments. */
const tell = `const { FH_BASE_URL, FH_API_KEY, FH_EMULATOR_URL, FH_LIMITS, FH_MAX_FILE_SIZE } = process.env
console.log(JSON.stringify({ FH_BASE_URL, FH_API_KEY, FH_EMULATOR_URL, FH_LIMITS, FH_MAX_FILE_SIZE, argv: process.argv.slice(2) }))`

/** Who was killed may wait a moment for the system to take it away, where it has no parent left. */
async function isGone(pid: number): Promise<void> {
  await until(() => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  })
}

test.each(['SIGTERM', 'SIGINT'] as const)('emulate --json is ready in one line, and ends on %s', async (signal) => {
  const { running, ready, rig } = await runningEmulator('-q')
  expect(ready).toEqual({
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    api_key: 'k',
    control_url: `${ready.base_url}/_emulator`,
    site_url: ready.base_url,
    pid: running.child.pid,
  })
  expect((await rig.fh(['stats'], { env: { FH_BASE_URL: ready.base_url, FH_API_KEY: 'k' } })).code).toBe(0)
  running.child.kill(signal)
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  await expect(fetch(ready.base_url)).rejects.toThrow()
})

test('emulate accepts quotas, a file size and a clock', async () => {
  const rig = await createRig()
  await rig.write('large.jpg', jpegBytes(2_000))
  const flags = ['--quota', 'burst=12,day=none', '--max-file-size', '1KB', '--clock', 'virtual']
  const running = rig.start(['emulate', ...flags, '--json', '--port', '0'])
  const { base_url, api_key } = JSON.parse(await running.printed('stdout', /\n/))
  const fh = (...args: readonly string[]) => rig.fh(args, { env: { FH_BASE_URL: base_url, FH_API_KEY: api_key } })
  const stats = JSON.parse((await fh('stats', '--json')).stdout)
  expect(stats.quota).toMatchObject({ limit: 60, reset_at: expect.stringMatching(/^2026-01-15T12:0/) })
  expect((await fh('upload', 'large.jpg')).stderr).toContain('greater than 1 kilobytes')
  expect(await fh('list', '--no-wait', '--json')).toMatchObject({ code: 0, stderr: '' })
  const refused = await fh('stats', '--no-wait', '--json')
  expect([refused.code, JSON.parse(refused.stderr).window]).toEqual([5, 'burst'])
})

test('emulate uses a dialect, with settings that override it', async () => {
  const { call } = await runningEmulator('--dialect', 'laravel', '--set', 'not_found_message=generic')
  const ask = async (path: string) =>
    await (await call(`/api/${path}`, { headers: { Accept: 'application/json' } })).json()
  expect(await ask('uploads')).toMatchObject({ links: [{ label: '&laquo; Previous', page: null }, { page: 1 }, {}] })
  expect(await ask('uploads/none')).toEqual({ message: 'Not found.' })
})

test('emulate on a port in use, or with a folder of something else, says so in one line and ends with 1', async () => {
  const port = await listening(createServer())
  const { fh, folder, write } = await createRig()
  const taken = await fh(['emulate', '--port', String(port)])
  expect([taken.code, taken.stdout]).toEqual([1, ''])
  expect(taken.stderr).toMatch(
    new RegExp(`^fh: Port ${port} on 127\\.0\\.0\\.1 is already in use: .* \\(0 takes any free one\\)\n$`),
  )
  await write('project/tmp/deep/thesis.txt', 'precious')
  await write('project/records.db', '')
  const foreign = await fh(['emulate', '--port', '0', '--data', 'project'])
  expect([foreign.code, foreign.stdout]).toEqual([1, ''])
  expect(foreign.stderr).toMatch(`fh: The folder ${folder}/project has "tmp" in it and no emulator data: choose an`)
  expect(await readFile(join(folder, 'project/tmp/deep/thesis.txt'), 'utf8')).toBe('precious')
})

test('emulate gives its command the environment, unchanged arguments and stdout', async () => {
  const { program, write } = await createRig()
  await write('tell.mjs', tell)
  const args = ['--json', '-q', '--', 'x y', '*', '']
  const { code, stdout, stderr } = await program(['emulate', '--', process.execPath, 'tell.mjs', ...args])
  expect(code).toBe(0)
  const { argv, ...env } = JSON.parse(stdout)
  expect(argv).toEqual(args)
  expect(env).toEqual({
    FH_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    FH_API_KEY: expect.stringMatching(/^\S+$/),
    FH_EMULATOR_URL: `${env.FH_BASE_URL}/_emulator`,
    FH_LIMITS: 'burst=20,minute=60,hour=1000,day=10000',
    FH_MAX_FILE_SIZE: '209715200',
  })
  expect(stderr).toContain(env.FH_BASE_URL)
  await expect(fetch(env.FH_BASE_URL)).rejects.toThrow()
})

test.each([
  [['--no-quota'], 'none'],
  [['--quota', 'burst=0,day=none'], 'burst=none,minute=60,hour=1000,day=none'],
])('emulate -q %j tells its command so, but no limit of 0, and prints nothing', async (flags, limits) => {
  const { program } = await createRig()
  const { stdout, stderr } = await program(['emulate', '-q', ...flags, '--', process.execPath, '-e', tell])
  expect([JSON.parse(stdout).FH_LIMITS, stderr]).toEqual([limits, ''])
})

test.each([[[]], [['-q']]])('emulate %j says once that its virtual clock stands still', async (flags) => {
  const rig = await createRig()
  const files = ['a.jpg', 'b.jpg', 'c.jpg']
  for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(10 + index))
  const upload = [...fhCommand, 'upload', '-q', ...files]
  const running = rig.start(['emulate', ...flags, '--clock', 'virtual', '--', ...upload])
  await running.printed('stderr', /stands still.*\n/)
  running.child.kill('SIGTERM')
  const { stderr } = await running.ended
  expect(stderr.match(/^.*stands still.*$/gm)).toEqual([
    expect.stringMatching(
      /^fh: warning: The emulator's clock stands still at \S+, and a client may wait for quota until \S+; advance it \(POST http:\S+\/_emulator\/clock\), or run with --clock system$/,
    ),
  ])
})

permissionTest('ends with 127 where it is not found and a folder of PATH may not be entered', async () => {
  const rig = await createRig()
  const closed = join(rig.folder, 'closed')
  await mkdir(closed, { mode: 0o000 })
  const { code, stderr } = await rig.program(['emulate', '-q', '--', 'no-such-command-anywhere'], {
    env: { PATH: `${closed}:${rig.env['PATH']}` },
    through: boundByPermissions,
  })
  expect([code, stderr]).toEqual([127, expect.stringMatching(/^fh: no-such-command-anywhere: command not found$/m)])
})

test('emulate forwards a signal once, waits for the command and leaves no orphan', async () => {
  const rig = await createRig()
  const script = `let count = 0
process.on('SIGTERM', () => { count += 1; setTimeout(() => { console.log('signals', count); process.exit(7) }, 100) })
setInterval(() => {}, 1000)
console.log('pid', process.pid)`
  const running = rig.start(['emulate', '-q', '--', process.execPath, '-e', script])
  const pid = Number((await running.printed('stdout', /pid (\d+)\n/)).replace(/\D/g, ''))
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 7, stdout: expect.stringContaining('signals 1\n') })
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test.each([
  ['SIGTERM', 143, ['SIGTERM']],
  ['SIGINT', 130, ['SIGINT', 'SIGTERM']],
] as const)(
  'the processes of a command that dies of %s, and so ends with %d, end too, even if they ignore %j',
  async (signal, code, ignored) => {
    const rig = await createRig()
    const stubborn = `for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => console.log('ignored', name))
setInterval(() => {}, 1000)
console.log('pid', process.pid)`
    await rig.write('stubborn.mjs', stubborn)
    const running = rig.start(['emulate', '-q', '--', 'sh', '-c', '"$0" stubborn.mjs & wait', process.execPath])
    const pid = Number((await running.printed('stdout', /pid (\d+)\n/)).replace(/\D/g, ''))
    running.child.kill(signal)
    const ended = await running.ended
    expect([ended.code, ended.stdout.match(/(?<=ignored )\w+/g)]).toEqual([code, ignored])
    await isGone(pid)
  },
)

test('emulate ends the background processes of its command, except those in their own session', async () => {
  const { program } = await createRig()
  const script = `const { spawn } = require('node:child_process')
const start = (detached) => spawn('sleep', ['600'], { detached, stdio: 'ignore' })
const children = [start(false), start(true)]
console.log(JSON.stringify(children.map(({ pid }) => pid)))
for (const child of children) child.unref()`
  const { code, stdout } = await program(['emulate', '-q', '--', process.execPath, '-e', script])
  const [helper, daemon] = JSON.parse(stdout)
  expect(code).toBe(0)
  await isGone(helper)
  expect(process.kill(daemon, 'SIGKILL')).toBe(true)
})

test.skipIf(process.platform !== 'linux')('fh emulate stores 190 MiB in the memory of a part of it', async () => {
  const { rig, running, baseUrl } = await runningEmulator()
  /** The most memory that it has had, in kB. */
  const mostMemory = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8'))?.[1])
  const size = 190 * 1_048_576
  await rig.write('a.jpg', jpegBytes(10))
  await truncate(join(rig.folder, 'a.jpg'), size)
  const atStart = mostMemory()
  const env = { FH_BASE_URL: baseUrl, FH_API_KEY: 'k', FH_LIMITS: 'none' }
  const { stdout } = await rig.fh(['upload', '--format', 'direct', 'a.jpg'], { env })
  let received = 0
  for await (const chunk of (await fetch(stdout.trim())).body ?? []) received += chunk.length
  expect(received).toBe(size)
  expect(mostMemory() - atStart).toBeLessThan(128 * 1024)
})
