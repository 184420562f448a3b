import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, type Running } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

describe.skipIf(!existsSync('/dev/full'))('a full disk under stdout', () => {
  const stdout = '/dev/full'
  const noSpace = 'Standard output cannot be written: no space left on device'
  const page = answer(200, { data: [uploadObject], current_page: 1, last_page: 1, per_page: 50, total: 1 })

  test.each([['--version'], ['list'], ['list', '--all']])('ends fh %s %s with 1 and one line', async (...args) => {
    const rig = await createRig({ service: await scriptedServer(page) })
    expect(await rig.program(args, { stdout })).toMatchObject({ code: 1, stderr: `fh: ${noSpace}\n` })
  })

  test('with a full disk under stdout, uploads in flight finish and no more start', async () => {
    const server = await scriptedServer(answer(201, { upload: uploadObject }))
    const rig = await createRig({ service: server })
    const files = ['photo.jpg', 'picture.png', 'clip.mp4'].map(mediaPath)
    const { code, stderr } = await rig.program(['upload', '-j', '1', ...files], { stdout })
    const end = `, 2 not started\nRun the same command again to continue\nfh: ${noSpace}\n`
    expect([code, stderr.endsWith(end), server.requests.length]).toEqual([1, true, 1])
  })
})

/** Reads the first line of a run, and nothing after it. */
async function leave({ printed, child }: Running): Promise<void> {
  await printed('stdout', /\n/)
  child.stdout?.destroy()
}

function jpeg(number: number): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, number]), Buffer.alloc(1_000 + number)])
}

test.each([
  ['links', [], /^fh: warning: Standard output is closed; the upload continues, \d+ files left; Ctrl-C stops it$/m],
  ['lines of JSON', ['--jsonl'], /^\{"type":"warning","message":"Standard output is closed; [^\n]*$/m],
  ['links alone', ['-q'], /^fh: warning: Standard output is closed; [^\n]*$/],
])('an upload of %s whose reader leaves stores the rest, and says so in one line', async (_, flags, line) => {
  const rig = await emulatedRig()
  for (let number = 0; number < 30; number += 1) await rig.write(`in/${number}.jpg`, jpeg(number))
  const running = rig.start(['upload', '-r', 'in', ...flags], { stdin: '' })
  await leave(running)
  const { code, stderr } = await running.ended
  expect([code, stderr.match(/Standard output is closed/g)?.length]).toEqual([0, 1])
  expect(stderr.trimEnd()).toMatch(line)
  expect(rig.emulator.control.health().uploads).toBe(30)
})

test('an upload whose reader leaves ends with 3 if some files fail, and can be stopped', async () => {
  const names = Array.from({ length: 9 }, (_, number) => `${number}.jpg`)
  const rig = await emulatedRig()
  const stuck = await createRig({ service: await scriptedServer(answer(201, { upload: uploadObject }), () => {}) })
  for (const { write } of [rig, stuck]) for (const [number, name] of names.entries()) await write(name, jpeg(number))
  const running = rig.start(['upload', ...names, 'missing.jpg'], { stdin: '' })
  await leave(running)
  expect((await running.ended).code).toBe(3)
  const stopped = stuck.start(['upload', '-j', '1', ...names], { stdin: '' })
  await leave(stopped)
  stopped.child.kill('SIGINT')
  stopped.child.kill('SIGTERM')
  expect([130, 143]).toContain((await stopped.ended).code)
})

test('a command that stops halfway reports a bug and ends with 1', async () => {
  const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
  const never = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
fs.stat = () => {}
syncBuiltinESMExports()`
  await rig.write('never.mjs', never)
  const ended = await rig.program(['upload', 'a.jpg'], { env: { NODE_OPTIONS: '--import=./never.mjs' } })
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: 'fh: fh stopped unexpectedly; this is a bug in fh\n' })
})
