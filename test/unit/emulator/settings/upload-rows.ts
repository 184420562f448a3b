import type { Emulator } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm, multipartForm } from '../../../helpers/multipart-form.ts'
import { json, send } from '../emulated.ts'
import { list, rows } from './wire-row.ts'

const upload = async (emulator: Emulator, bytes = jpegBytes(100)) =>
  (await json(send(emulator, 'POST', '/api/upload', fileForm(bytes)))).upload

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const swapCase = (text: string) =>
  [...text].map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())).join('')

const keyed =
  (headers: Readonly<Record<string, string>>, query = '') =>
  async (emulator: Emulator) => {
    const response = await emulator.fetch(new Request(`http://h/api/stats${query}`, { headers }))
    return [response.status, emulator.control.requests.list().requests.at(-1)?.key_in]
  }

const isExtra = (name: string) => ['id', 'updated_at', 'deleted_at', 'plan'].includes(name)

export const uploadRows = [
  ...rows('title', {
    observe: async (emulator) => {
      const form = multipartForm({ name: 'file', fileName: 'C:\\photos/me.jpg', content: jpegBytes(100) })
      return (await json(send(emulator, 'POST', '/api/upload', form))).upload.title
    },
    sees: [['filename', 'me.jpg']],
  }),
  ...rows('created_at_format', {
    async observe(emulator) {
      await emulator.control.clock.advance(520)
      return (await upload(emulator)).created_at
    },
    sees: [
      ['micros', '2026-01-15T14:00:00.520000+02:00'],
      ['zulu', '2026-01-15T12:00:00.520000Z'],
    ],
  }),
  ...rows('slug_style', {
    observe: async (emulator) => uuid.test((await upload(emulator)).slug),
    sees: [['uuid', true]],
  }),
  ...rows('case_insensitive_slugs', {
    async observe(emulator) {
      const { slug } = await upload(emulator)
      const path = `/api/uploads/${swapCase(`${slug}`)}`
      return [(await send(emulator, 'GET', path)).status, (await send(emulator, 'DELETE', path)).status]
    },
    sees: [[true, [200, 200]]],
  }),
  ...rows('extra_fields', {
    async observe(emulator) {
      const found: object = await upload(emulator)
      const stats: object = await json(send(emulator, 'GET', '/api/stats'))
      return [found, stats].map((fields) => Object.entries(fields).filter(([name]) => isExtra(name)))
    },
    sees: [
      [
        true,
        [
          [
            ['id', 1],
            ['updated_at', '2026-01-15T14:00:00+02:00'],
            ['deleted_at', null],
          ],
          [['plan', 'free']],
        ],
      ],
    ],
  }),
  ...rows('visible_after_ms', {
    async observe(emulator) {
      const { slug } = await upload(emulator)
      const look = async () => {
        const { total, data } = await list(emulator)
        return [total, data.length, (await send(emulator, 'GET', `/api/uploads/${slug}`)).status]
      }
      const found = [await look()]
      await emulator.control.clock.advance(1_499)
      found.push(await look())
      await emulator.control.clock.advance(1)
      return [...found, await look()]
    },
    sees: [
      [
        1_500,
        [
          [0, 0, 404],
          [0, 0, 404],
          [1, 1, 200],
        ],
      ],
    ],
  }),
  ...rows('duplicate_content', {
    async observe(emulator) {
      const [first, again, other] = [
        await upload(emulator),
        await upload(emulator),
        await upload(emulator, Buffer.concat([jpegBytes(99), Buffer.from('x')])),
      ]
      return [first.slug === again.slug, first.slug === other.slug, (await list(emulator)).total]
    },
    sees: [['same_slug', [true, false, 2]]],
  }),
  ...rows('empty_header_key', {
    options: { apiKey: 'key' },
    observe: async (emulator) => [
      await keyed({ 'X-Api-Key': '' }, '?api_key=key')(emulator),
      await keyed({ 'X-Api-Key': '' })(emulator),
      await keyed({ 'X-Api-Key': 'wrong' }, '?api_key=key')(emulator),
    ],
    sees: [
      [
        'falls_back',
        [
          [200, 'query'],
          [401, 'none'],
          [401, 'header'],
        ],
      ],
    ],
  }),
  ...rows('trust_forwarded_for', {
    async observe(emulator) {
      emulator.control.accounts.update(1, { ip_allowlist: ['8.8.8.0/24'] })
      const from = async (chain: string) =>
        (await send(emulator, 'GET', '/api/stats', { headers: { 'X-Forwarded-For': chain } })).status
      const found = [await from('9.9.9.9, 8.8.8.8:1234'), await from('8.8.8.8, 9.9.9.9'), await from('unknown')]
      return [found, emulator.control.requests.list().requests.map(({ client_ip }) => client_ip)]
    },
    sees: [
      [
        true,
        [
          [200, 403, 403],
          ['8.8.8.8', '9.9.9.9', '127.0.0.1'],
        ],
      ],
    ],
  }),
]
