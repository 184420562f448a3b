import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { hurried } from '../helpers/preload.ts'
import { jsonLines } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'

async function filledRig(count: number) {
  const rig = await emulatedRig()
  const files = Array.from({ length: count }, (_, index) => `p${index}.jpg`)
  for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(1_000 + index))
  const uploads = uploadsDb(rig.home)
  return { ...rig, files, uploads, state: dirname(uploads.path), stored: () => rig.emulator.control.health().uploads }
}

type FilledRig = Awaited<ReturnType<typeof filledRig>>

/** The service stores all files, and the run is killed before it gets the last answer. */
async function cutOff({ files, start, stored, emulator }: FilledRig): Promise<void> {
  const match = { method: 'POST', nth: files.length }
  emulator.control.faults.add({ match, times: 1, action: { type: 'slow_body', ms: 60_000 } })
  const running = start(['upload', '-j', '1', ...files], { stdin: '' })
  await until(() => stored() === files.length)
  running.child.kill('SIGKILL')
  await running.ended
}

describe('the same command again', () => {
  test('in a new container, which has nothing but the state folder, goes on at once', async () => {
    const rig = await filledRig(3)
    await cutOff(rig)
    await rm(`${rig.state}/runs`, { recursive: true })
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files, 'gone.jpg'], { env: hurried })
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([3, 3])
    expect(stderr).toMatch(/^skipped p0\.jpg: already there as \S+ \(p0\.jpg, uploaded just now\)$/m)
    expect(stderr).toContain('3 skipped, 1 failed\n')
    expect(rig.stored()).toBe(3)
  })

  test('checks the list for uploads left in flight', async () => {
    const rig = await filledRig(2)
    await cutOff(rig)
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files, '--jsonl'], { env: hurried })
    expect([code, jsonLines(stdout), stderr]).toMatchObject([0, [{ status: 'skipped' }, { status: 'skipped' }], ''])
    expect(rig.stored()).toBe(2)
  })

  test.each([
    ['the document', ['--json']],
    ['the links', []],
  ])('the same command skips all files if %s could not be printed', async (_, flags) => {
    const rig = await filledRig(1)
    expect((await rig.program(['upload', ...rig.files, ...flags], { stdout: '/dev/full' })).code).toBe(1)
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files])
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^http/), expect.stringMatching(/^skipped p0/)])
    expect(rig.stored()).toBe(1)
  })
})

/** Writes zeros over the index by which contents are found. */
async function damage({ uploads }: FilledRig): Promise<Buffer> {
  const [row] = uploads.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'upload_content'")
  const page = (Number(row?.['rootpage']) - 1) * 4_096
  const bytes = (await readFile(uploads.path)).fill(0, page, page + 4_096)
  await writeFile(uploads.path, bytes)
  return bytes
}

describe('a damaged record', () => {
  test('is kept under another name, and a new one gets what can be read of it', async () => {
    const rig = await filledRig(2)
    await rig.program(['upload', ...rig.files])
    const damaged = await damage(rig)
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files, 'gone.jpg'])
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^http.*\nhttp.*\n$/)])
    expect(stderr).toMatch(
      /^fh: warning: The record of uploads .*uploads\.db is damaged, and kept as .*\.damaged-1: recovered 2 uploads, /,
    )
    expect(stderr).toContain('2 skipped, 1 failed\n')
    expect(await readFile(`${rig.uploads.path}.damaged-1`)).toEqual(damaged)
    expect((await stat(`${rig.uploads.path}.damaged-1`)).mode & 0o777).toBe(0o600)
    expect((await rig.fh(['upload', ...rig.files])).stderr).not.toContain('damaged')
    await writeFile(rig.uploads.path, 'garbage')
    expect((await rig.fh(['upload', ...rig.files])).code).toBe(0)
    expect(await readFile(`${rig.uploads.path}.damaged-2`, 'utf8')).toBe('garbage')
  })
})

test('where another process holds the record for two seconds, the command ends with 5, says so, and sends nothing', async () => {
  const rig = await filledRig(1)
  await rig.fh(['upload', ...rig.files])
  await rig.write('new.jpg', jpegBytes(700))
  const database = new DatabaseSync(rig.uploads.path)
  database.exec('BEGIN IMMEDIATE')
  const { code, stderr } = await rig.program(['upload', 'new.jpg', '--json'])
  database.close()
  expect([code, jsonLines(stderr)]).toMatchObject([
    5,
    [
      {
        code: 'state-busy',
        retryable: true,
        message: expect.stringMatching(/uploads\.db cannot be used: another process holds it/),
      },
    ],
  ])
  expect(rig.stored()).toBe(1)
})
