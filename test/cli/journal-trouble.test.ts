import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { jsonLines } from '../helpers/rig.ts'

async function filledRig(count: number) {
  const rig = await emulatedRig()
  const files = Array.from({ length: count }, (_, index) => `p${index}.jpg`)
  for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(1_000 + index))
  const state = join(rig.home, '.local/state/fh')
  return {
    ...rig,
    files,
    state,
    journal: join(state, 'uploads.journal'),
    stored: () => rig.emulator.control.health().uploads,
  }
}

/** Leaves a journal as a run does that was cut off after its last upload and before its end. */
async function cutOff(rig: Awaited<ReturnType<typeof filledRig>>, edit = (text: string) => text): Promise<void> {
  await rig.program(['upload', ...rig.files])
  const lines = (await readFile(rig.journal, 'utf8')).split('\n').filter((line) => !line.includes('"type":"end"'))
  await writeFile(rig.journal, edit(lines.join('\n')))
}

describe('the same command again', () => {
  test.each(['host', 'space'])('in a new container (its %s is another) goes on at once', async (part) => {
    const rig = await filledRig(3)
    await cutOff(rig, (text) => text.replace(new RegExp(`"${part}":"\\w*"`), `"${part}":"earlier"`))
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files, 'gone.jpg'])
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([3, 3])
    expect(stderr).toMatch(/^skipped p0\.jpg: already there as \S+ \(p0\.jpg, uploaded just now\)$/m)
    expect(stderr).toContain('3 skipped, 1 failed\n')
    expect(rig.stored()).toBe(3)
  })

  test('in a new container the same command checks the list for uploads left in flight', async () => {
    const rig = await filledRig(2)
    const ofOthers = (text: string) => text.replace(/"host":"\w*"/, '"host":"earlier"')
    await cutOff(rig, (text) => ofOthers(text).replace(/^.*"type":"done".*\n?/gm, ''))
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files, '--jsonl'])
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

describe('a damaged journal', () => {
  const damage = (text: string) => `${'\0'.repeat(40)}${text}`

  test('a damaged journal is kept under another name, and a new journal gets its readable lines', async () => {
    const rig = await filledRig(2)
    await cutOff(rig, damage)
    const damaged = await readFile(rig.journal)
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files, 'gone.jpg'])
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^http.*\nhttp.*\n$/)])
    expect(stderr).toMatch(
      /^fh: warning: The journal .*uploads\.journal is damaged; it is kept as .*\.damaged\n {2}Recovered \d+ lines;/,
    )
    expect(stderr).toContain('2 skipped, 1 failed\n')
    expect(await readFile(`${rig.journal}.damaged`)).toEqual(damaged)
    expect((await stat(`${rig.journal}.damaged`)).mode & 0o777).toBe(0o600)
    expect((await rig.fh(['upload', ...rig.files])).stderr).not.toContain('damaged')
    await writeFile(rig.journal, 'garbage')
    expect((await rig.fh(['upload', ...rig.files])).code).toBe(0)
    expect(await readFile(`${rig.journal}.damaged-2`, 'utf8')).toBe('garbage')
  })

  test('upload -n reads a damaged journal without changing it', async () => {
    const rig = await filledRig(1)
    await cutOff(rig, damage)
    const before = await readFile(rig.journal)
    const { code, stdout } = await rig.fh(['upload', '-n', '--json', ...rig.files])
    expect([code, JSON.parse(stdout).files]).toMatchObject([0, [{ status: 'skipped' }]])
    expect(await readFile(rig.journal)).toEqual(before)
    expect((await readdir(rig.state)).filter((name) => name.includes('damaged'))).toEqual([])
  })

  test('a damaged journal given with --journal is refused and not changed', async () => {
    const rig = await filledRig(1)
    await cutOff(rig, damage)
    await copyFile(rig.journal, join(rig.folder, 'mine.journal'))
    const { code, stderr } = await rig.fh(['upload', '--json', '--journal', 'mine.journal', ...rig.files])
    const refusal = { code: 'usage', hint: expect.stringContaining('moved away') }
    expect([code, jsonLines(stderr)]).toMatchObject([2, [refusal]])
    expect(await readFile(join(rig.folder, 'mine.journal'))).toEqual(await readFile(rig.journal))
  })
})
