import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { heldUpload, twoFiles } from '../helpers/held-upload.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { asItWas, runOnTerminal, terminalTest } from '../helpers/terminal.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is an escape sequence
const color = /\x1b\[[\d;]*m/
// biome-ignore lint/suspicious/noControlCharactersInRegex: what no terminal without escape sequences understands
const sequence = /\x1b/

async function rigWithOneUpload() {
  const page = { data: [uploadObject], current_page: 1, last_page: 1, per_page: 50, total: 1 }
  return createRig({ service: await scriptedServer(answer(200, page)) })
}

/** test/unit/cli/output/terminal/terminal.test.ts has all rows. */
terminalTest.each([
  ['fh', {}, [], true],
  ['CI=true fh', { CI: 'true' }, [], true],
  ['NO_COLOR=1 fh', { NO_COLOR: '1' }, [], false],
  ['fh --color never', {}, ['--color', 'never'], false],
])('colour of `%s` on a terminal, and not in a pipe', async (_, env, args, colored) => {
  const rig = await rigWithOneUpload()
  const { code, raw } = await runOnTerminal(rig, ['list', ...args], { env })
  expect([code, color.test(raw)]).toEqual([0, colored])
  expect(color.test((await rig.fh(['list', ...args], { env })).stdout)).toBe(false)
})

terminalTest('JSON is indented on a terminal, and a line in a pipe', async () => {
  const rig = await rigWithOneUpload()
  const { lines } = await runOnTerminal(rig, ['list', '--json', '--fields', 'slug'])
  expect(lines).toEqual(['[', '  {', `    "slug": "${uploadObject.slug}"`, '  }', ']'])
  expect((await rig.fh(['list', '--json', '--fields', 'slug'])).stdout).toBe(`[{"slug":"${uploadObject.slug}"}]\n`)
})

test('colour in a pipe is there with --color always only', async () => {
  const { fh } = await createRig()
  const said = [await fh(['show', 'x']), await fh(['show', 'x', '--color', 'always'])]
  expect(said.map(({ stderr }) => color.test(stderr))).toEqual([false, true])
})

terminalTest('a dumb terminal gets no escape sequence from a list', async () => {
  const env = { TERM: 'dumb' }
  const { code, raw } = await runOnTerminal(await rigWithOneUpload(), ['list'], { env })
  expect([code, raw]).toEqual([0, expect.not.stringMatching(sequence)])
})

terminalTest.each([
  [{ TERM: 'dumb' }, []],
  [{ CI: 'true', NO_COLOR: '1' }, []],
  [{}, ['--json']],
  [{}, ['--quiet']],
  [{ NO_COLOR: '1' }, ['--progress', 'plain']],
  [{}, ['--progress', 'none']],
  [{ NO_COLOR: '1' }, ['--debug']],
])('an upload with %j and the flags %j draws nothing on the terminal', async (env, flags) => {
  const { terminal, release } = await heldUpload({ args: [...twoFiles, ...flags], env, shows: null })
  release()
  expect((await terminal.ended).code).toBe(0)
  expect(terminal.raw()).not.toMatch(sequence)
})

terminalTest('links that are longer than the terminal is wide are printed whole among the bars', async () => {
  const url = `https://files.example/${'long-'.repeat(30)}end`
  const { terminal, release } = await heldUpload({ columns: 60, upload: { ...uploadObject, url } })
  release()
  expect((await terminal.ended).code).toBe(0)
  const whole = expect.stringMatching(` ${url}$`)
  expect(terminal.paragraphs()).toEqual([whole, whole, '2 uploaded'])
  expect(terminal.state()).toEqual(asItWas)
})

terminalTest('no bars are drawn if a pipe reads the output: others may write to the terminal', async () => {
  const command = ['sh', '-c', '"$0" "$@" | cat', ...fhCommand]
  const { terminal, release } = await heldUpload({ args: [...twoFiles, '-v'], command, shows: null })
  release()
  const { lines } = await terminal.ended
  expect(lines.filter((line) => line.startsWith('uploaded '))).toHaveLength(2)
  expect(lines.filter((line) => line === uploadObject.url)).toHaveLength(2)
  expect(terminal.raw()).not.toContain('█')
})

terminalTest.each([
  ['with --progress plain', '"$0" "$@" --progress plain', {}],
  ['on a dumb terminal', '"$0" "$@"', { TERM: 'dumb' }],
])('without bars a terminal gets one line for each file, with its link, in order: %s', async (_, script, env) => {
  const command = ['sh', '-c', script, ...fhCommand]
  const { terminal, release } = await heldUpload({ args: twoFiles, command, env, columns: 200, shows: null })
  release()
  const { lines } = await terminal.ended
  expect(lines.filter((line) => line.includes(uploadObject.url))).toEqual([
    expect.stringMatching(/^uploaded .*photo\.jpg \(123 B\): http:/),
    expect.stringMatching(/^uploaded .*picture\.png \(123 B\): http:/),
  ])
  expect(lines.filter((line) => line.startsWith('uploaded '))).toHaveLength(2)
  expect(terminal.raw()).not.toContain('█')
})

test('--progress none prints only results', async () => {
  const { fh } = await emulatedRig()
  const files = ['photo.jpg', 'picture.png'].map(mediaPath)
  expect(await fh(['upload', '--progress', 'none', ...files])).toMatchObject({ stderr: '2 uploaded\n' })
})
