import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes, mediaPath } from '../helpers/media.ts'
import { hurried, stillTime } from '../helpers/preload.ts'
import { jsonLines } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'

/** Limits belong to the service: without them here nothing waits for a count. */
const uncounted = { FH_LIMITS: 'none' }

async function filledRig(count: number) {
  const rig = await emulatedRig()
  const files = Array.from({ length: count }, (_, index) => `p${String(index).padStart(2, '0')}.jpg`)
  for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(1_000 + index))
  const control = (path: string, method: string, body?: unknown) =>
    fetch(`${rig.baseUrl}/_emulator${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  const upload = (args: readonly string[], env: Record<string, string> = {}) =>
    rig.fh(['upload', ...args], { env: { ...uncounted, ...env } })
  return {
    ...rig,
    files,
    upload,
    journal: join(rig.home, '.local/state/fh/uploads.journal'),
    faults: (...faults: readonly object[]) => control('/faults', 'PUT', faults),
    async stored(): Promise<number> {
      const { stdout } = await rig.fh(['stats', '--json', '--fields', 'uploads'], { env: uncounted })
      return JSON.parse(stdout).uploads
    },
    async posts(): Promise<number> {
      const answer = await control('/requests?method=POST', 'GET')
      return ((await answer.json()) as { requests: unknown[] }).requests.length
    },
    settings: (settings: object) => control('/settings', 'PATCH', settings),
  }
}

const onUpload = { method: 'POST', path: '/api/upload' }

describe('the same command again', () => {
  test('after kill -9 the same command continues: nothing is lost and nothing stored twice', async () => {
    const rig = await filledRig(30)
    await rig.faults({ match: onUpload, times: 1_000, action: { type: 'delay', ms: 40 } })
    const first = rig.start(['upload', ...rig.files], { env: uncounted })
    await first.printed('stdout', /(.*\n){8}/)
    first.child.kill('SIGKILL')
    const cut = await first.ended
    const again = await rig.upload(rig.files)
    expect(again.code).toBe(0)
    expect(again.stderr).toMatch(/^skipped p00\.jpg: already there as \S+ \(p00\.jpg, uploaded just now\)$/m)
    const links = again.stdout.trimEnd().split('\n')
    expect(new Set(links).size).toBe(30)
    expect(links.slice(0, 8)).toEqual(cut.stdout.split('\n').slice(0, 8))
    expect(await rig.stored()).toBe(30)
  })

  test('after kill -9 before the answer, the same command finds the stored file in the list', async () => {
    const rig = await filledRig(1)
    await rig.faults({ match: onUpload, times: 1, action: { type: 'slow_body', ms: 60_000 } })
    const first = rig.start(['upload', ...rig.files], { env: uncounted })
    await until(() => rig.emulator.control.health().uploads === 1)
    first.child.kill('SIGKILL')
    await first.ended
    const { code, stdout, stderr } = await rig.upload([...rig.files, '--json'])
    expect(stderr).toBe('')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ status: 'skipped', error: null, upload: { size: 1_000 } }]])
    expect([await rig.stored(), await rig.posts()]).toEqual([1, 1])
  })

  test('after an unknown outcome the same command finds out whether the file was stored', async () => {
    const rig = await filledRig(1)
    await rig.faults(
      { match: onUpload, times: 1, action: { type: 'commit_then_drop' } },
      {
        match: { method: 'GET', path: '/api/uploads' },
        times: 1_000,
        action: { type: 'status', status: 500, body: {} },
      },
    )
    const first = await rig.upload([...rig.files, '--retries', '0'])
    expect([first.code, first.stdout]).toEqual([8, ''])
    await rig.faults()
    const again = await rig.upload(rig.files)
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^http/)])
    expect(again.stderr).toMatch(/^skipped p00/)
    expect(await rig.stored()).toBe(1)
  })

  test('after a partly failed run, the same command tries only the failed files again', async () => {
    const rig = await filledRig(3)
    const args = [...rig.files, 'late.jpg']
    expect((await rig.upload(args)).code).toBe(3)
    await rig.write('late.jpg', jpegBytes(5_000))
    const again = await rig.upload([...args, '--json'])
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout).map(({ status }: { status: string }) => status)).toEqual([
      'skipped',
      'skipped',
      'skipped',
      'uploaded',
    ])
    expect(await rig.stored()).toBe(4)
    expect((await rig.upload(args)).stderr).toContain('4 skipped\n')
  })

  test('a finished run makes a later one skip its files', async () => {
    const rig = await filledRig(2)
    expect((await rig.upload([...rig.files, '--progress', 'none'])).stderr).toBe('2 uploaded\n')
    const again = await rig.upload(rig.files)
    expect([again.code, again.stdout.match(/http/g)]).toEqual([0, ['http', 'http']])
    expect(again.stderr).toContain('2 skipped\n')
    expect([await rig.stored(), await rig.posts()]).toEqual([2, 2])
  })

  test('an upload that skips all files ends with 0, or with 9 with --error-on-no-transfer', async () => {
    const rig = await filledRig(1)
    await rig.upload([...rig.files, 'gone.jpg'])
    expect((await rig.upload([...rig.files, '--error-on-no-transfer', '-n'])).code).toBe(9)
    const { code, stdout } = await rig.upload([...rig.files, '--error-on-no-transfer'])
    expect([code, stdout]).toEqual([9, expect.stringMatching(/^http.*\n$/)])
  })

  test('a changed file is uploaded, a moved one is skipped, and another account gets its own upload', async () => {
    const rig = await filledRig(2)
    await rig.upload(rig.files)
    await rig.write('p00.jpg', jpegBytes(1_000).fill(0x21, 4))
    await rig.write('moved.jpg', await readFile(join(rig.folder, 'p01.jpg')))
    const { stderr } = await rig.upload(['p00.jpg', 'moved.jpg'])
    expect(stderr).toContain('1 uploaded, 1 skipped\n')
    expect(stderr).toMatch(/^skipped moved\.jpg: already there as \S+ \(p01\.jpg, uploaded just now\)$/m)
    const { api_key: key } = (await (await fetch(`${rig.baseUrl}/_emulator/accounts`, { method: 'POST' })).json()) as {
      api_key: string
    }
    expect((await rig.upload(['p01.jpg', '--progress', 'plain'], { FH_API_KEY: key })).stderr).toMatch(/^uploaded/)
  })

  test('a file named twice is uploaded once, and skipped where an earlier run has uploaded it', async () => {
    const rig = await filledRig(2)
    await rig.upload(['p00.jpg', 'gone.jpg'])
    const { stderr } = await rig.upload(['p00.jpg', 'p01.jpg', 'p00.jpg', 'p01.jpg'])
    expect(stderr).toContain('1 uploaded, 1 skipped\n')
    expect(await rig.stored()).toBe(2)
  })

  test('standard input is recognised by its content', async () => {
    const rig = await filledRig(0)
    const args = ['upload', '-', 'gone.jpg', '--name', 'in.jpg']
    await rig.fh(args, { stdin: jpegBytes(500), env: uncounted })
    expect((await rig.fh(args, { stdin: jpegBytes(500), env: uncounted })).stderr).toContain('1 skipped, 1 failed\n')
    expect((await rig.fh(args, { stdin: jpegBytes(501), env: uncounted })).stderr).toContain('1 uploaded, 1 failed\n')
    await rig.write('same.jpg', jpegBytes(501))
    expect((await rig.upload(['same.jpg'])).stderr).toMatch(/^skipped same\.jpg: already there as \S+ \(in\.jpg,/)
  })

  test('--force uploads again, and the next run skips the file with the newer upload', async () => {
    const rig = await filledRig(1)
    await rig.upload(rig.files)
    const forced = await rig.upload([...rig.files, '--force', '--progress', 'plain'])
    expect(forced.stderr).toMatch(/^uploaded/)
    const again = await rig.upload(rig.files)
    expect([again.stdout, again.stderr]).toEqual([forced.stdout, expect.stringMatching(/^skipped/)])
    expect(await rig.stored()).toBe(2)
  })

  test('a file that another command is sending is waited for and skipped', async () => {
    const rig = await filledRig(2)
    await rig.faults({ match: { ...onUpload, nth: 2 }, times: 1, action: { type: 'delay', ms: 300 } })
    const first = rig.start(['upload', '-j', '1', ...rig.files], { env: uncounted })
    await until(() => rig.emulator.control.faults.list()[0]?.struck === 1)
    const second = await rig.upload(rig.files)
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('2 skipped\n')])
    const { stdout } = await first.ended
    expect([second.stdout, await rig.stored()]).toEqual([stdout, 2])
  })

  test('a file that a killed command was sending is sent by the command that waited for it', async () => {
    const rig = await filledRig(1)
    await rig.faults({ match: onUpload, times: 1, action: { type: 'delay', ms: 60_000 } })
    const first = rig.start(['upload', ...rig.files], { env: uncounted })
    await until(() => rig.emulator.control.faults.list()[0]?.struck === 1)
    const second = rig.start(['upload', ...rig.files, '--progress', 'none'], { env: { ...uncounted, ...hurried } })
    await until(async () => (await readFile(rig.journal, 'utf8')).match(/"type":"claim"/g)?.length === 2)
    first.child.kill('SIGKILL')
    const { code } = await second.ended
    expect([code, await rig.stored()]).toEqual([0, 1])
  })

  test('a file that a killed command had stored is not sent by the command that waited for it', async () => {
    const rig = await filledRig(1)
    await rig.faults({ match: onUpload, times: 1, action: { type: 'slow_body', ms: 60_000 } })
    const first = rig.start(['upload', ...rig.files], { env: uncounted })
    await until(() => rig.emulator.control.health().uploads === 1)
    const second = rig.start(['upload', ...rig.files], { env: { ...uncounted, ...hurried } })
    await until(async () => (await readFile(rig.journal, 'utf8')).match(/"type":"claim"/g)?.length === 2)
    first.child.kill('SIGKILL')
    const { code, stderr } = await second.ended
    expect([code, await rig.stored()]).toEqual([0, 1])
    expect(stderr).toMatch(/^skipped p00\.jpg: already there as .*\n$/m)
  })

  describe('after kill -9 before the answer', () => {
    const day = 86_400_000
    const now = Date.now()
    const times = { old: new Date(now - day), new: new Date(now + day) }

    /** @param change of the file after the kill */
    async function sendTwice(time: Date, change: (path: string) => Promise<void> = async () => {}) {
      const rig = await filledRig(1)
      const path = join(rig.folder, rig.files[0] ?? '')
      await utimes(path, time, time)
      await rig.faults({ match: onUpload, times: 1, action: { type: 'slow_body', ms: 60_000 } })
      const first = rig.start(['upload', ...rig.files], { env: uncounted })
      await until(() => rig.emulator.control.health().uploads === 1)
      first.child.kill('SIGKILL')
      await first.ended
      await change(path)
      const { code, stderr } = await rig.upload([...rig.files, '--progress', 'plain'], hurried)
      return { code, word: /^(skipped|uploaded) /m.exec(stderr)?.[1], stored: await rig.stored() }
    }

    test('a file whose time is in the future is not sent again', async () => {
      expect(await sendTwice(times.new)).toEqual({ code: 0, word: 'skipped', stored: 1 })
    })

    test('a file that got another time since, but has the same content, is not sent again', async () => {
      const touch = (path: string) => utimes(path, times.new, times.new)
      expect(await sendTwice(times.old, touch)).toEqual({ code: 0, word: 'skipped', stored: 1 })
    })

    test('a file that got another content of the same size since is sent', async () => {
      const rewrite = async (path: string) => {
        await writeFile(path, jpegBytes(1_000).fill(7, 500))
      }
      expect(await sendTwice(times.old, rewrite)).toEqual({ code: 0, word: 'uploaded', stored: 2 })
    })
  })

  test('a deleted file is uploaded again', async () => {
    const rig = await filledRig(1)
    const { stdout } = await rig.upload([...rig.files, 'gone.jpg', '--format', 'slug'])
    expect((await rig.fh(['delete', '--yes', stdout.trim()], { env: uncounted })).code).toBe(0)
    expect((await rig.upload([...rig.files, '--progress', 'plain'])).stderr).toMatch(/^uploaded/)
  })
})

describe('the journal', () => {
  test('the journal is readable only by its owner, and contains neither key nor needless data', async () => {
    const rig = await filledRig(1)
    await rig.upload(rig.files)
    expect((await stat(rig.journal)).mode & 0o777).toBe(0o600)
    const text = await readFile(rig.journal, 'utf8')
    expect(text).not.toContain(rig.emulator.apiKey)
    expect(
      jsonLines(text)
        .map(({ type }) => type)
        .filter((type) => type !== 'hashed'),
    ).toEqual(['run', 'claim', 'intent', 'done', 'end'])
  })

  test('--journal chooses another journal, --no-journal writes none', async () => {
    const rig = await filledRig(1)
    await rig.upload([...rig.files, 'gone.jpg', '--no-journal'])
    await rig.upload([...rig.files, 'gone.jpg', '--journal', 'here.journal'])
    await expect(stat(rig.journal)).rejects.toThrow('ENOENT')
    const { stderr } = await rig.upload([...rig.files, '--journal', 'here.journal'])
    expect(stderr).toMatch(/^skipped p00\.jpg/)
  })

  test('--journal never writes to a file of another kind', async () => {
    const rig = await filledRig(1)
    const { code, stderr } = await rig.upload([...rig.files, '--journal', 'p00.jpg'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('p00.jpg is not a journal of fh')])
    expect(await readFile(join(rig.folder, 'p00.jpg'))).toEqual(jpegBytes(1_000))
  })

  test('a journal that cannot be written causes a warning, and the upload continues', async () => {
    const rig = await filledRig(1)
    await writeFile(join(rig.home, 'taken'), '')
    const { code, stdout, stderr } = await rig.upload(rig.files, { FH_STATE_DIR: join(rig.home, 'taken') })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http/)])
    expect(stderr).toMatch(
      /^fh: warning: The journal .*taken\/uploads\.journal cannot be used: .*\n {2}Continuing without it/,
    )
  })
})

describe('a batch', () => {
  test('a batch stops when the key is refused midway', async () => {
    const rig = await filledRig(6)
    await rig.faults({
      match: { ...onUpload, nth: 3 },
      times: 1,
      action: { type: 'status', status: 401, body: { error: 'No.' } },
    })
    const { code, stdout } = await rig.upload([...rig.files, '-j', '1', '--json'])
    expect(code).toBe(3)
    expect(JSON.parse(stdout).map(({ status }: { status: string }) => status)).toEqual([
      'uploaded',
      'uploaded',
      'failed',
      ...Array(3).fill('not_started'),
    ])
    expect(await rig.posts()).toBe(3)
    expect((await rig.upload(rig.files)).stderr).toContain('4 uploaded, 2 skipped\n')
  })

  test('a batch ends with 5 if the API stays disabled longer than --max-wait, and so do later runs until then', async () => {
    const rig = await filledRig(4)
    await rig.settings({ api_enabled: false, unavailable_retry_after: 60 })
    const { code, stdout } = await rig.upload([...rig.files, '--max-wait', '1s', '--json'])
    expect(code).toBe(5)
    const records = JSON.parse(stdout)
    expect(records).toHaveLength(4)
    expect(records.every(({ status }: { status: string }) => status === 'failed' || status === 'not_started')).toBe(
      true,
    )
    const sent = await rig.posts()
    expect(sent).toBeLessThanOrEqual(2)
    await rig.settings({ api_enabled: true })
    // The hold is in the shared count: a second run sends nothing before it is over, or forgotten.
    const second = await rig.upload([...rig.files, '--max-wait', '1s'])
    expect([second.code, await rig.posts()]).toEqual([5, sent])
    expect((await rig.fh(['quota', '--reset'])).code).toBe(0)
    expect((await rig.upload([...rig.files, '--progress', 'none'])).stderr).toContain('4 uploaded\n')
  })
})

describe('upload -n', () => {
  test('upload -n prints files, bytes, units and times, and sends nothing', async () => {
    const rig = await filledRig(3)
    const { code, stdout, stderr } = await rig.fh(['upload', '-n', ...rig.files, mediaPath('clip.mp4')], {
      env: { FH_LIMITS: 'burst=20', ...stillTime },
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^p00\.jpg +1,?000 B +image\/jpeg$/m)
    expect(stdout).toMatch(
      /^4 files, .*KB, 40 units\nall: now to \d\d:\d\d, paced by the burst quota\ndone \d\d:\d\d, \d+ s from now\n$/m,
    )
    const log = (await (await fetch(`${rig.baseUrl}/_emulator/requests`)).json()) as { requests: unknown[] }
    expect(log.requests).toEqual([])
  })

  test('upload -n names refused files and files of an earlier run', async () => {
    const rig = await filledRig(2)
    await rig.upload(['p00.jpg', 'gone.jpg'])
    await rig.write('note.txt', 'text')
    const { code, stdout, stderr } = await rig.upload(['-n', '--json', 'p00.jpg', 'p01.jpg', 'note.txt'])
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        { file: 'p00.jpg', status: 'skipped', slug: expect.any(String), upload: { size: 1_000 } },
        { file: 'p01.jpg', status: 'planned', size: 1_001, mime_type: 'image/jpeg' },
        { file: 'note.txt', status: 'failed', error: { code: 'source-unsupported-type', exit_code: 2 } },
      ],
      count: 1,
      bytes: 1_001,
      units: 10,
      parts: [{ first: 1, count: 1, waits_for: null, paced_by: null }],
    })
    expect(jsonLines(stderr)).toMatchObject([{ type: 'error', file: 'note.txt' }])
    expect((await rig.upload(['-n', 'note.txt'])).code).toBe(2)
  })

  test('upload -n does not change the journal', async () => {
    const rig = await filledRig(1)
    await rig.upload(['p00.jpg', 'gone.jpg'])
    const before = await readFile(rig.journal, 'utf8')
    await rig.upload(['-n', 'p00.jpg'])
    expect(await readFile(rig.journal, 'utf8')).toBe(before)
    expect((await rig.upload(['p00.jpg'])).stderr).toMatch(/^skipped/)
  })
})
