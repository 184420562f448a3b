// biome-ignore-all lint/suspicious/noControlCharactersInRegex: what steers terminals begins with one
import { expect } from 'vitest'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { asItWas, openTerminal, runOnTerminal, terminalTest } from '../helpers/terminal.ts'

/** Clears the screen, retitles the window, switches to the other screen, hides the cursor, turns text around. */
const evil = '\x1b[2J\x1b[H\x1b]0;owned\x07\x1b[?1049h\x1b[?25l\x9b31m\r\nfh: deleted everything\u202e\x08\x7f'
const evilUpload = {
  ...uploadObject,
  slug: `a${evil}`,
  title: `t${evil}`,
  url: `http://h/i/u${evil}`,
  direct_url: `http://h/d${evil}`,
  mime_type: `image/${evil}`,
  created_at: `2026${evil}`,
}
const page = { data: [evilUpload], current_page: 1, last_page: 1, per_page: 50, total: 1 }
const evilHeaders = { 'X-Remark': 'a\x9b31mb' }

const shown = answer(200, { upload: evilUpload })
const photo = mediaPath('photo.jpg')

const rows: readonly (readonly [name: string, step: Step, args: readonly string[], code: number])[] = [
  ['list', answer(200, page), ['list'], 0],
  ['list --fields', answer(200, page), ['list', '--fields', 'title,url,slug'], 0],
  ['list --json', answer(200, page), ['list', '--json'], 0],
  ['show', shown, ['show', 'x'], 0],
  ['delete -n', shown, ['delete', '-n', 'x'], 0],
  ['api', answer(200, page, evilHeaders), ['api', '-i', 'GET', '/api/list'], 0],
  ['api, of a text', answer(200, `<p>${evil.replace('\r\n', '')}</p>`), ['api', 'GET', '/api/list'], 0],
  ['upload', answer(201, { upload: evilUpload }), ['upload', photo], 0],
  ['an error', answer(403, { error: evil }), ['stats'], 7],
  ['a page in place of JSON', answer(200, evil), ['stats'], 1],
  ['the trace', answer(200, page, evilHeaders), ['list', '--debug'], 0],
  ['refused fields', answer(422, { message: evil, errors: { [`file${evil}`]: [evil] } }), ['upload', photo], 2],
  ['a redirect', answer(302, '', { Location: `http://elsewhere/${encodeURI(evil)}\x9b31m` }), ['stats'], 1],
]

/** Colours and links of our own, and what the bars draw with; what is left may steer nothing. */
function withoutOurs(raw: string): string {
  return raw
    .replaceAll('\r\n', '')
    .replace(/\x1b\[(\d+)?m/g, '')
    .replace(/\x1b\]8;;[\x20-\x7e]*\x1b\\/g, '')
    .replace(/\x1b\[\?(25|7)[hl]|\x1b\[\d*[AGKJ]/g, '')
}

/** Uploads draw bars. */
async function ended(...run: Parameters<typeof openTerminal>) {
  const terminal = openTerminal(...run)
  return { ...(await terminal.ended), state: terminal.state, raw: terminal.raw() }
}

terminalTest.each(rows)('no control sequence of a service reaches a terminal: %s', async (_, step, args, exitCode) => {
  const rig = await createRig({ service: await scriptedServer(step) })
  const options = { columns: 200, env: { FH_LIMITS: 'none' } }
  const { code, lines, state, raw } = await (args[0] === 'upload' ? ended : runOnTerminal)(rig, args, options)
  expect([code, state()]).toEqual([exitCode, asItWas])
  expect(withoutOurs(raw)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
  expect(lines.filter((line) => line.startsWith('fh: deleted everything'))).toEqual([])
})
