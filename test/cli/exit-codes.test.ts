import { describe, expect, test } from 'vitest'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, breakOff, type Step, scriptedServer } from '../helpers/scripted-server.ts'

/** What ends with a code: a command line, and how the service answers. docs/exit-codes.md has a row for each. */
interface Row {
  readonly name: string
  readonly args: readonly string[]
  readonly steps?: readonly Step[]
  readonly env?: Readonly<Record<string, string>>
}

const stored = answer(201, { upload: uploadObject })
const emptyPage = answer(200, { data: [], current_page: 1, last_page: 1, per_page: 50, total: 0 })
const gone = answer(404, { message: 'No query results for model [Upload].' })
const upload = ['upload', '--retries', '0']

const rows: Readonly<Record<string, readonly Row[]>> = {
  0: [
    { name: 'one upload shown', args: ['show', 'x'], steps: [answer(200, { upload: uploadObject })] },
    { name: 'an empty list', args: ['list'], steps: [emptyPage] },
    { name: 'nothing to upload', args: ['upload', '-r', 'empty'] },
    { name: 'help on request', args: ['upload', '--help'] },
  ],
  1: [
    {
      name: 'every item failed, for different reasons',
      args: ['delete', '-y', 'a', 'b'],
      steps: [gone, answer(422, { message: 'No.' })],
    },
    { name: 'a redirect', args: ['stats'], steps: [answer(302, '', { Location: 'https://elsewhere.example/' })] },
    { name: 'an answer that is not the service’s JSON', args: ['stats'], steps: [answer(200, '<h1>Shop</h1>')] },
    { name: 'an answer that breaks the contract', args: ['stats'], steps: [answer(200, { uploads: 'many' })] },
  ],
  2: [
    { name: 'an unknown command', args: ['uplaod', 'a.jpg'] },
    { name: 'an unknown flag', args: ['list', '--pages', '2'] },
    { name: 'no command', args: [] },
    { name: 'a missing file', args: [...upload, 'missing.jpg'] },
    { name: 'a file of another type', args: [...upload, 'text.txt'] },
    { name: '413', args: [...upload, 'a.jpg'], steps: [answer(413, '<h1>Request Entity Too Large</h1>')] },
    {
      name: '422',
      args: [...upload, 'a.jpg'],
      steps: [answer(422, { message: 'Refused.', errors: { file: ['Refused.'] } })],
    },
    { name: 'the key over plain http to another machine', args: ['list', '--base-url', 'http://files.example'] },
    { name: 'no base URL', args: ['list'], env: { FH_BASE_URL: '' } },
  ],
  3: [
    { name: 'one uploaded, one refused', args: [...upload, 'a.jpg', 'missing.jpg'], steps: [stored] },
    {
      name: 'one deleted, one missing',
      args: ['delete', '-y', 'a', 'b'],
      steps: [answer(200, { deleted: true }), gone],
    },
  ],
  4: [
    { name: 'no key', args: ['list'], env: { FH_API_KEY: '' } },
    { name: '401', args: ['list'], steps: [answer(401, { error: 'Invalid API key.' })] },
    { name: 'delete without --yes and without a terminal', args: ['delete', 'x'] },
    { name: 'login without a terminal', args: ['login'], env: { FH_API_KEY: '' } },
  ],
  5: [
    {
      name: '429 beyond --max-wait',
      args: ['list', '--max-wait', '1s'],
      steps: [answer(429, { error: 'Rate limit exceeded (per hour).' }, { 'Retry-After': '600' })],
    },
    { name: '429 with --no-wait', args: ['list', '--no-wait'], steps: [answer(429, { error: 'Slow down.' })] },
    {
      name: '503',
      args: ['list', '--no-wait', '--retries', '0'],
      steps: [answer(503, { error: 'API temporarily disabled.' })],
    },
    { name: 'no server at the address', args: ['list', '--retries', '0', '--base-url', 'http://127.0.0.1:1'] },
    { name: 'a connection that breaks', args: ['list', '--retries', '0'], steps: [breakOff(0)] },
  ],
  6: [{ name: 'a missing upload', args: ['show', 'gone'], steps: [gone] }],
  7: [{ name: '403', args: ['list'], steps: [answer(403, { error: 'Access suspended by administrator.' })] }],
  8: [
    {
      name: 'an upload that may exist and cannot be told apart',
      args: [...upload, 'a.jpg'],
      steps: [breakOff(), answer(500, '')],
    },
  ],
  9: [
    {
      name: 'nothing transferred, with --error-on-no-transfer',
      args: ['upload', '-r', 'empty', '--error-on-no-transfer'],
    },
  ],
}

describe.each(Object.entries(rows))('fh ends with %s', (code, causes) => {
  test.each(causes)(
    `fh ends with ${code}, and with an error on stderr unless that is 0: $name`,
    async ({ args, steps = [answer(500, '')], env = {} }) => {
      const rig = await createRig({ service: await scriptedServer(...steps), env: { FH_LIMITS: 'none' } })
      await rig.write('a.jpg', jpegBytes(500))
      await rig.write('text.txt', 'only words')
      await rig.write('empty/.hidden', '')
      const ended = await rig.fh(args, { env })
      expect({ code: ended.code, explained: ended.stderr !== '' || code === '0' }).toEqual({
        code: Number(code),
        explained: true,
      })
    },
  )
})
