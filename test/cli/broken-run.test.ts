import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const noSpace = 'Standard output cannot be written: no space left on device'
const emptyPage = { current_page: 1, first_page_url: 'x', from: 1, last_page: 1, last_page_url: 'x', links: [] }
const onePage = { ...emptyPage, next_page_url: null, path: 'x', per_page: 50, prev_page_url: null, to: 1, total: 1 }

describe.skipIf(!existsSync('/dev/full'))('a full disk under stdout', () => {
  const stdout = '/dev/full'

  test.each([['--version'], ['--help'], ['help', 'exit-codes'], ['list'], ['list', '--all']])(
    'ends fh %s %s with 1 and one line',
    async (...args) => {
      const server = await scriptedServer(answer(200, { ...onePage, data: [uploadObject] }))
      const rig = await createRig({ service: server })
      expect(await rig.program(args, { stdout })).toMatchObject({ code: 1, stderr: `fh: ${noSpace}\n` })
    },
  )

  test('a full disk under stdout is reported as JSON with --json', async () => {
    const rig = await createRig({ service: await scriptedServer(answer(200, { ...onePage, data: [] })) })
    const { code, stderr } = await rig.program(['list', '--json'], { stdout })
    expect(code).toBe(1)
    expect(jsonLines(stderr)).toMatchObject([{ type: 'error', code: 'output-failed', exit_code: 1, message: noSpace }])
  })

  test('with a full disk under stdout, uploads in flight finish and no more start', async () => {
    const server = await scriptedServer(answer(201, { upload: uploadObject }))
    const rig = await createRig({ service: server })
    const files = ['photo.jpg', 'picture.png', 'clip.mp4'].map(mediaPath)
    const { code, stderr } = await rig.program(['upload', '-j', '1', ...files], { stdout })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      new RegExp(`(?:^|\n)1 uploaded, 2 not started\nRun the same command again to continue\nfh: ${noSpace}\n$`),
    )
    expect(server.requests).toHaveLength(1)
  })
})

describe('an upload whose reader goes after the first line', () => {
  test.each([
    ['links', [], /^Standard output is closed; the upload continues, \d+ files left; Ctrl-C stops it$/m],
    ['lines of JSON', ['--jsonl'], /^\{"type":"warning","message":"Standard output is closed; [^\n]*$/m],
    ['links alone', ['-q'], /^Standard output is closed; [^\n]*$/],
  ])(
    'an upload of %s whose reader leaves stores the rest, says so in one line and keeps its exit code',
    async (_, flags, line) => {
      const rig = await emulatedRig()
      for (let number = 0; number < 30; number += 1) await rig.write(`in/${number}.jpg`, jpeg(number))
      const running = rig.start(['upload', '-r', 'in', ...flags], { stdin: '' })
      await running.printed('stdout', /\n/)
      running.child.stdout?.destroy()
      const { code, stderr } = await running.ended
      expect(code).toBe(0)
      expect(stderr.match(/Standard output is closed/g)).toHaveLength(1)
      expect(stderr.trimEnd()).toMatch(line)
      expect(JSON.parse((await rig.fh(['stats', '--json'])).stdout).stats.uploads).toBe(30)
    },
  )

  test('an upload whose reader leaves ends with 3 if some files fail, and can be stopped', async () => {
    const rig = await emulatedRig()
    for (let number = 0; number < 9; number += 1) await rig.write(`${number}.jpg`, jpeg(number))
    const names = Array.from({ length: 9 }, (_, number) => `${number}.jpg`)
    const running = rig.start(['upload', ...names, 'missing.jpg'], { stdin: '' })
    await running.printed('stdout', /\n/)
    running.child.stdout?.destroy()
    expect((await running.ended).code).toBe(3)
    const stuck = await createRig({ service: await scriptedServer(answer(201, { upload: uploadObject }), () => {}) })
    for (const name of names.slice(0, 3)) await stuck.write(name, jpeg(Number(name.slice(0, 1))))
    const stopped = stuck.start(['upload', '-j', '1', ...names.slice(0, 3)], { stdin: '' })
    await stopped.printed('stdout', /\n/)
    stopped.child.stdout?.destroy()
    stopped.child.kill('SIGINT')
    stopped.child.kill('SIGTERM')
    expect([130, 143]).toContain((await stopped.ended).code)
  })
})

function jpeg(number: number): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, number]), Buffer.alloc(1_000 + number)])
}

describe('a command that has nothing left to wait for', () => {
  const neverStat = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
fs.promises.stat = () => new Promise(() => {})
syncBuiltinESMExports()`
  const env = { NODE_OPTIONS: '--import=./never.mjs' }

  test.each([
    [[], /^fh: fh stopped unexpectedly; this is a bug in fh\n$/, ''],
    [['--json'], /^\{"type":"error","code":"stuck","exit_code":1,.*\}\n$/, '[]\n'],
  ])(
    'a command that stops halfway reports a bug and ends with 1, with the flags %j',
    async (flags, message, stdout) => {
      const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
      await rig.write('never.mjs', neverStat)
      const ended = await rig.program(['upload', 'a.jpg', ...flags], { env })
      expect(ended).toMatchObject({ code: 1, stdout })
      expect(ended.stderr).toMatch(message)
    },
  )
})
