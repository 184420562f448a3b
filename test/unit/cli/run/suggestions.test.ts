import { PassThrough } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import type { HostProcess } from '../../../../src/cli/context/host.ts'
import { catalog } from '../../../../src/cli/run/catalog.ts'
import { describeProgram, parseArgv } from '../../../../src/cli/run/program.ts'
import { runCli } from '../../../../src/cli/run/run-cli.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

/** Runs fh in this process. @returns the exit code and what it printed on stderr */
async function run(words: string): Promise<readonly [code: number, stderr: string]> {
  const home = temporaryFolder()
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const printed: string[] = []
  stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
  stdout.resume()
  const env = { HOME: home, FH_CONFIG_DIR: home, FH_STATE_DIR: home, FH_NO_INPUT: '1' }
  const rest = { on: () => host, off: () => host, kill: () => true, exit: () => {} }
  const host = { env, stdin, stdout, stderr, pid: process.pid, ...rest } as unknown as HostProcess
  const argv = words === '' ? [] : words.split(' ')
  const code = await runCli(argv, host)
  return [code, printed.join('')]
}

const rows = (table: string) => table.split(/[\n|]/).flatMap((row) => (row.trim() ? [row.trim().split(' → ')] : []))

describe('a misspelt word', () => {
  test.each(
    rows(`
      lsit → list | config prfiles → profiles | list --jason → --json | upload --formt url a → --format`),
  )('is answered with the near one: fh %s', async (words = '', near = '') => {
    const [code, stderr] = await run(words)
    expect(code).toBe(2)
    expect(stderr).toContain(`\n  Did you mean ${near}?`)
  })

  test.each(
    rows(`
      zzz → fh help lists the commands | config zzz → fh help config lists | api ZZZ /api/stats → Methods: GET,
      upload --format zzz a → Allowed choices are url, direct, slug
      list --zzz → fh help list lists its arguments and flags | list --fields zzz → Fields: slug,
      help zzz → Topics: login,  | config get zzz → Settings: base_url,`),
  )('that is near nothing gets no suggestion but where to look: fh %s', async (words = '', where = '') => {
    const [code, stderr] = await run(words)
    expect(code).toBe(2)
    expect(stderr).toContain(where)
    expect(stderr).not.toContain('Did you mean')
  })

  test('is compared with nothing where it is a megabyte long', async () => {
    const [code, stderr] = await run(`--${'z'.repeat(1_000_000)}`)
    expect(code).toBe(2)
    expect(stderr).not.toContain('Did you mean')
  })

  test('does not print the value that is given to an unknown flag', async () => {
    expect((await run('list --api-kee=secret'))[1]).not.toContain('secret')
  })
})

describe('an alias', () => {
  test.each([
    ['ls', 'list'],
    ['--profile get ls', 'list'],
    ['get -- -AbC1_d2', 'download'],
  ])('runs its command: fh %s', async (words, name) => {
    expect((await parseArgv(words.split(' '))).entry).toBe(catalog[name])
  })

  test.each(['help ls', 'ls --help', 'help list'])('has the help of its command: fh %s', async (words) => {
    const { run } = await parseArgv(words.split(' '))
    const print = vi.fn()
    await run({ print, describeProgram } as never)
    expect(print).toHaveBeenCalledWith(
      expect.objectContaining({ text: expect.stringMatching(/^Usage: fh list \[options\]/) }),
    )
  })

  test('has the errors of its command', async () => {
    expect((await run('ls --page'))[1]).toContain('fh help list lists its arguments and flags')
  })

  test('of one command that is a word of another loads the other one only', async () => {
    const { download } = catalog
    if (download === undefined) throw new Error('there is no such command')
    const load = vi.spyOn(download, 'load')
    await parseArgv(['config', 'get', '--help'])
    expect(load).not.toHaveBeenCalled()
    await parseArgv(['get', '--help'])
    expect(load).toHaveBeenCalledOnce()
  })
})
