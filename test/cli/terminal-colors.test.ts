import { describe, expect, test } from 'vitest'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, held, scriptedServer } from '../helpers/scripted-server.ts'
import { openTerminal, runOnTerminal, terminalTest } from '../helpers/terminal.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is an escape sequence
const color = /\x1b\[[\d;]*m/
// biome-ignore lint/suspicious/noControlCharactersInRegex: what no terminal without escape sequences understands
const sequence = /\x1b/

async function rigWithOneUpload() {
  const page = { data: [uploadObject], current_page: 1, last_page: 1, per_page: 50, total: 1 }
  return createRig({ service: await scriptedServer(answer(200, page)) })
}

type Row = readonly [env: Readonly<Record<string, string>>, args: readonly string[], colored: boolean]

/** The environment, the arguments, and whether there is colour; test/unit/cli/output/terminal/color.test.ts has all of them. */
const onTerminal: readonly Row[] = [
  [{}, [], true],
  [{ CI: 'true' }, [], true],
  [{ NO_COLOR: '1' }, [], false],
  [{}, ['--color', 'never'], false],
]
const offTerminal: readonly Row[] = [
  [{}, [], false],
  [{}, ['--color', 'always'], true],
]

const named = ([env, args, colored]: Row) =>
  [
    [...Object.entries(env).map(([name, value]) => `${name}=${value}`), 'fh', ...args].join(' '),
    colored,
    { env, args },
  ] as const

describe('colour', () => {
  terminalTest.each(onTerminal.map(named))('colour of `%s` on a terminal: %s', async (_, colored, { env, args }) => {
    const rig = await rigWithOneUpload()
    const { code, raw } = await runOnTerminal(rig, ['list', ...args], { env })
    expect([code, color.test(raw)]).toEqual([0, colored])
  })

  test.each(offTerminal.map(named))('colour of `%s` in a pipe: %s', async (_, colored, { env, args }) => {
    const rig = await createRig()
    const { stderr } = await rig.fh(['show', 'x', ...args], { env })
    expect(stderr).toMatch(/no API key/)
    expect(color.test(stderr)).toBe(colored)
  })
})

terminalTest.each(['list', 'show', 'stats'])('a dumb terminal gets no escape sequence from %s', async (command) => {
  const body = {
    list: { data: [uploadObject], current_page: 1, last_page: 1, per_page: 50, total: 1 },
    show: { upload: uploadObject },
    stats: { uploads: 1, albums: 0, total_views: 0, api_requests: 0 },
  }[command]
  const rig = await createRig({ service: await scriptedServer(answer(200, body)) })
  const { code, raw } = await runOnTerminal(rig, command === 'show' ? [command, uploadObject.slug] : [command], {
    env: { TERM: 'dumb', FORCE_HYPERLINK: '' },
  })
  expect(code).toBe(0)
  expect(raw).not.toMatch(sequence)
})

const still: readonly Row[] = [
  [{ TERM: 'dumb' }, [], false],
  [{ CI: 'true', NO_COLOR: '1' }, [], false],
  [{}, ['--json'], false],
  [{}, ['--jsonl'], false],
  [{}, ['--quiet'], false],
  [{ NO_COLOR: '1' }, ['--progress', 'plain'], false],
  [{}, ['--progress', 'none'], false],
  [{ NO_COLOR: '1' }, ['--debug'], false],
]

terminalTest.each(still.map(named))('an upload by `%s` draws nothing on the terminal', async (_, __, { env, args }) => {
  const first = held(201, { upload: uploadObject })
  const rig = await createRig({ service: await scriptedServer(first.step) })
  const terminal = openTerminal(rig, ['upload', mediaPath('photo.jpg'), ...args], { env })
  await first.reached
  first.release()
  expect((await terminal.ended).code).toBe(0)
  expect(terminal.raw()).not.toMatch(sequence)
})
