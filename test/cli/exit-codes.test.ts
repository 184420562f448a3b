import { describe, expect, test } from 'vitest'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, breakOff, type Step, scriptedServer, twoLengths } from '../helpers/scripted-server.ts'

/**
 * What ends with a code: a command line, which may begin with variables that are unset, and how the service answers.
 * docs/exit-codes.md has a row for each.
 */
type Row = [name: string, args: readonly string[], steps?: readonly Step[]]

const stored = answer(201, { upload: uploadObject })
const emptyPage = answer(200, { data: [], current_page: 1, last_page: 1, per_page: 50, total: 0 })
const gone = answer(404, { message: 'No query results for model [Upload].' })
const refused = answer(422, { message: 'Refused.', errors: { file: ['Refused.'] } })
const full = answer(429, { error: 'Rate limit exceeded (per hour).' }, { 'Retry-After': '600' })
const upload = ['upload', '--retries', '0']
const list = ['list', '--retries', '0']

const rows: Readonly<Record<string, readonly Row[]>> = {
  0: [
    ['one upload shown', ['show', 'x'], [answer(200, { upload: uploadObject })]],
    ['an empty list', ['list'], [emptyPage]],
    ['nothing to upload', ['upload', '-r', 'empty']],
    ['help on request', ['upload', '--help']],
  ],
  1: [
    ['every item failed, for different reasons', ['delete', '-y', 'a', 'b'], [gone, refused]],
    ['a redirect', ['stats'], [answer(302, '', { Location: 'https://elsewhere.example/' })]],
    ['an answer that is not the service’s JSON', ['stats'], [answer(200, '<h1>Shop</h1>')]],
    ['a malformed answer', ['stats'], [twoLengths]],
    ['a malformed answer of the site of a URL', ['upload', 'SITE/a.jpg'], [twoLengths]],
    ['an answer that breaks the contract', ['stats'], [answer(200, { uploads: 'many' })]],
  ],
  2: [
    ['an unknown command', ['uplaod', 'a.jpg']],
    ['an unknown flag', ['list', '--pages', '2']],
    ['no command', []],
    ['a missing file', [...upload, 'missing.jpg']],
    ['a file of another type', [...upload, 'text.txt']],
    ['413', [...upload, 'a.jpg'], [answer(413, '<h1>Request Entity Too Large</h1>')]],
    ['422', [...upload, 'a.jpg'], [refused]],
    ['the key over plain http to another machine', ['list', '--base-url', 'http://files.example']],
    ['no base URL', ['FH_BASE_URL=', 'list']],
  ],
  3: [
    ['one uploaded, one refused', [...upload, 'a.jpg', 'missing.jpg'], [stored]],
    ['one deleted, one missing', ['delete', '-y', 'a', 'b'], [answer(200, { deleted: true }), gone]],
  ],
  4: [
    ['no key', ['FH_API_KEY=', 'list']],
    ['401', ['list'], [answer(401, { error: 'Invalid API key.' })]],
    ['delete without --yes and without a terminal', ['delete', 'x']],
    ['login without a terminal', ['FH_API_KEY=', 'login']],
  ],
  5: [
    ['429 beyond --max-wait', ['list', '--max-wait', '1s'], [full]],
    ['429 with --no-wait', ['list', '--no-wait'], [full]],
    ['503', [...list, '--no-wait'], [answer(503, { error: 'API temporarily disabled.' })]],
    ['no server at the address', [...list, '--base-url', 'http://127.0.0.1:1']],
    ['a connection that breaks', list, [breakOff(0)]],
  ],
  6: [['a missing upload', ['show', 'gone'], [gone]]],
  7: [['403', ['list'], [answer(403, { error: 'Access suspended by administrator.' })]]],
  8: [
    ['an upload that may exist and cannot be told apart', [...upload, 'a.jpg'], [breakOff(), answer(500, '')]],
    ['malformed answers to an upload and to the list', ['upload', 'a.jpg'], [twoLengths]],
  ],
}

describe.each(Object.entries(rows))('fh ends with %s', (code, causes) => {
  test.each(causes)(`fh ends with ${code}, and says why: %s`, async (_, args, steps = [answer(500, '')]) => {
    const service = await scriptedServer(...steps)
    const rig = await createRig({ service, env: { FH_LIMITS: 'none' } })
    await rig.write('a.jpg', jpegBytes(500))
    await rig.write('text.txt', 'only words')
    await rig.write('empty/.hidden', '')
    const unset = args.filter((word) => word.endsWith('=')).map((word) => [word.slice(0, -1), undefined])
    const words = args.slice(unset.length).map((word) => word.replace('SITE', service.baseUrl))
    const ended = await rig.fh(words, { env: Object.fromEntries(unset) })
    expect([ended.code, ended.stderr !== '' || code === '0']).toEqual([Number(code), true])
  })
})
