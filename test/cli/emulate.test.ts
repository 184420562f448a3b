import { chmod, mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { boundByPermissions, permissionTest } from '../helpers/bound-by-permissions.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig, fhCommand, jsonLines } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'

/** A command that prints its environment and arguments. */
const tell = `const { FH_BASE_URL, FH_API_KEY, FH_EMULATOR_URL, FH_LIMITS, FH_MAX_FILE_SIZE } = process.env
console.log(JSON.stringify({ FH_BASE_URL, FH_API_KEY, FH_EMULATOR_URL, FH_LIMITS, FH_MAX_FILE_SIZE, argv: process.argv.slice(2) }))`

async function isAlive(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}

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

describe('emulate', () => {
  test('emulate --json prints one ready line, serves, and ends with 0 on a signal', async () => {
    const rig = await createRig()
    const running = rig.start(['emulate', '--json', '--port', '0', '--api-key', 'my-key', '-q'])
    const ready = JSON.parse(await running.printed('stdout', /\n/))
    expect(ready).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      api_key: 'my-key',
      control_url: `${ready.base_url}/_emulator`,
      site_url: ready.base_url,
      pid: running.child.pid,
    })
    const env = { FH_BASE_URL: ready.base_url, FH_API_KEY: 'my-key' }
    expect((await rig.fh(['stats'], { env })).code).toBe(0)
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await isAlive(ready.base_url)).toBe(false)
  })

  test('emulate prints its address, its key and a line that exports both', async () => {
    const rig = await createRig()
    const running = rig.start(['emulate', '--port', '0', '--api-key', 'my-key'])
    const text = await running.printed('stdout', /^export .*\n/m)
    expect(text).toMatch(/^export FH_BASE_URL=http:\/\/127\.0\.0\.1:\d+ FH_API_KEY=my-key$/m)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(0)
  })

  test('emulate accepts quotas, a file size and a clock', async () => {
    const rig = await createRig()
    await rig.write('large.jpg', jpegBytes(2_000))
    const args = [
      '--quota',
      'burst=12,day=none',
      '--max-file-size',
      '1KB',
      '--clock',
      'virtual',
      '--json',
      '--port',
      '0',
    ]
    const running = rig.start(['emulate', ...args])
    const { base_url, api_key } = JSON.parse(await running.printed('stdout', /\n/))
    const env = { FH_BASE_URL: base_url, FH_API_KEY: api_key }
    const stats = JSON.parse((await rig.fh(['stats', '--json'], { env })).stdout)
    expect(stats.quota).toMatchObject({ limit: 60, reset_at: expect.stringMatching(/^2026-01-15T12:0/) })
    expect((await rig.fh(['upload', 'large.jpg'], { env })).stderr).toContain('greater than 1 kilobytes')
    const { code, stderr } = await rig.fh(['list', '--limit', '60', '--no-wait', '--json'], { env })
    expect([code, stderr]).toEqual([0, ''])
    const refused = await rig.fh(['stats', '--no-wait', '--json'], { env })
    expect([refused.code, JSON.parse(refused.stderr).window]).toEqual([5, 'burst'])
  })

  test('emulate uses a dialect, with settings that override it', async () => {
    const rig = await createRig()
    const settings = ['--set', 'not_found_message=generic', '--set', 'unavailable_retry_after=7', '--set', 'title=null']
    const running = rig.start(['emulate', '--json', '--port', '0', '--dialect', 'laravel', ...settings])
    const { base_url, api_key } = JSON.parse(await running.printed('stdout', /\n/))
    const ask = (path: string, Accept: string) =>
      fetch(`${base_url}/api/${path}`, { headers: { 'X-Api-Key': api_key, Accept } })
    const page = await ask('uploads', 'application/json')
    expect(await page.json()).toMatchObject({ links: [{ label: '&laquo; Previous', page: null }, { page: 1 }, {}] })
    const missing = await ask('uploads/none', 'application/json')
    expect(await missing.json()).toEqual({ message: 'Not found.' })
    expect((await ask('uploads/none', '*/*')).headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  })

  test('emulate on a port in use says so in one line and ends with 1', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { fh } = await createRig()
    const { code, stdout, stderr } = await fh(['emulate', '--port', String(port)])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^fh: Port ${port} of 127\\.0\\.0\\.1 is already in use\n {2}.*--port 0`))
  })

  test.each([
    [['--port', '99999'], /Give a number from 0 to 65535/],
    [['--quota', 'week=3'], /"week=3" is not a quota/],
    [['--max-file-size', 'big'], /"big" is not a file size/],
    [['--clock', 'wall'], /Use one of system, virtual/],
    [['--dialect', 'klingon'], /Use one of spec, laravel, hostile/],
    [['--set', 'quota_windows'], /write NAME=VALUE/],
    [['--set', 'quota_window=fixed'], /There is no setting "quota_window"; did you mean quota_windows\?/],
    [['--set', 'quota_windows=slidng'], /takes one of fixed, aligned, .* did you mean sliding\?/],
  ])('emulate %j is refused', async (args, message) => {
    const { fh } = await createRig()
    expect(await fh(['emulate', ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  })
})

describe('emulate with a command', () => {
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
    expect(await isAlive(env.FH_BASE_URL)).toBe(false)
  })

  test('emulate --no-quota tells its command so, and -q prints nothing', async () => {
    const { program } = await createRig()
    const { stdout, stderr } = await program(['emulate', '-q', '--no-quota', '--', process.execPath, '-e', tell])
    expect(JSON.parse(stdout).FH_LIMITS).toBe('none')
    expect(stderr).toBe('')
  })

  test('emulate does not pass on a limit of 0, so that the service refuses', async () => {
    const { program } = await createRig()
    const stats = [...fhCommand, 'stats', '--no-wait', '--json']
    const { code, stderr } = await program(['emulate', '-q', '--quota', 'burst=0,day=none', '--', ...stats])
    expect([code, jsonLines(stderr)]).toMatchObject([5, [{ http_status: 429, window: 'burst' }]])
    const told = await program(['emulate', '-q', '--quota', 'burst=0,day=none', '--', process.execPath, '-e', tell])
    expect(JSON.parse(told.stdout).FH_LIMITS).toBe('burst=none,minute=60,hour=1000,day=none')
  })

  test('emulate passes standard input to its command', async () => {
    const { program } = await createRig()
    expect((await program(['emulate', '-q', '--', 'cat'], { stdin: 'hello' })).stdout).toBe('hello')
  })

  test.each([
    ['the exit code of the command', ['sh', '-c', 'exit 42'], 42],
    ['128+n after a signal', ['sh', '-c', 'kill -KILL $$'], 137],
    ['127 if its name is empty', [''], 127],
    ['127 if it is not found', ['no-such-command-anywhere'], 127],
    ['126 if it cannot be run', ['./plain.txt'], 126],
  ])('emulate with a command ends with %s', async (_, command, code) => {
    const rig = await createRig()
    await rig.write('plain.txt', 'text')
    await chmod(join(rig.folder, 'plain.txt'), 0o644)
    expect((await rig.program(['emulate', '-q', '--', ...command])).code).toBe(code)
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

  test('emulate ends with 128+n if its command dies of the forwarded signal n', async () => {
    const rig = await createRig()
    const script = `setInterval(() => {}, 1000); console.log('up')`
    const running = rig.start(['emulate', '-q', '--', process.execPath, '-e', script])
    await running.printed('stdout', /up\n/)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
  })

  test.each([
    ['SIGTERM', ['SIGTERM']],
    ['SIGINT', ['SIGINT', 'SIGTERM']],
  ] as const)('the processes of a command that dies of %s end too, even if they ignore %j', async (signal, ignored) => {
    const rig = await createRig()
    const stubborn = `for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => console.log('ignored', name))
setInterval(() => {}, 1000)
console.log('pid', process.pid)`
    await rig.write('stubborn.mjs', stubborn)
    const running = rig.start(['emulate', '-q', '--', 'sh', '-c', '"$0" stubborn.mjs & wait', process.execPath])
    const pid = Number((await running.printed('stdout', /pid (\d+)\n/)).replace(/\D/g, ''))
    running.child.kill(signal)
    const { stdout } = await running.ended
    expect([...stdout.matchAll(/ignored (\w+)/g)].map(([, name]) => name)).toEqual(ignored)
    await isGone(pid)
  })

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
})
