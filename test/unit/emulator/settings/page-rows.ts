import type { Emulator } from '../../../../emulator/index.ts'
import { json, send } from '../emulated.ts'
import { list, rows, seen } from './wire-row.ts'

const invalid = async (emulator: Emulator) => {
  const found: unknown[] = []
  for (const page of ['abc', '0', '', '1']) {
    const [status, body] = await seen(send(emulator, 'GET', `/api/uploads?page=${page}`))
    const { current_page, message, errors } = Object(body)
    found.push([status, current_page ?? message, errors?.page])
  }
  return found
}

const firstPage = [200, 1, undefined]

export const pageRows = [
  ...rows('page_invalid', {
    observe: invalid,
    sees: [['404', [[404, '', undefined], [404, '', undefined], firstPage, firstPage]]],
  }),
  ...rows('page_size', {
    async observe(emulator) {
      emulator.control.accounts.addUploads(1, { count: 60 })
      const { data, per_page, last_page, to } = await list(emulator)
      return [data.length, per_page, last_page, to]
    },
    sees: [[7, [7, 7, 9, 7]]],
  }),
  ...rows('links_page_key', {
    async observe(emulator) {
      emulator.control.accounts.addUploads(1, { count: 700 })
      const { links } = await list(emulator)
      return [links[0], links[1], links[11], links.at(-1)].map((link) =>
        JSON.stringify(link).replace(/"http[^"]*"/, 'U'),
      )
    },
    sees: [
      [
        true,
        [
          '{"url":null,"label":"« Previous","page":null,"active":false}',
          '{"url":U,"label":"1","page":1,"active":true}',
          '{"url":null,"label":"...","active":false}',
          '{"url":U,"label":"Next »","page":2,"active":false}',
        ],
      ],
    ],
  }),
  ...rows('page_urls_keep_query', {
    async observe(emulator) {
      const page = await list(emulator, '?page=1&api_key=secret&q=a+b')
      return [page.first_page_url, page.links[1]?.url, page.path]
    },
    sees: [
      [
        true,
        [
          'http://h/api/uploads?api_key=secret&q=a%20b&page=1',
          'http://h/api/uploads?api_key=secret&q=a%20b&page=1',
          'http://h/api/uploads',
        ],
      ],
    ],
  }),
  ...rows('page_url_scheme', {
    async observe(emulator) {
      const headers = { 'X-Api-Key': emulator.apiKey }
      const secure = await json(emulator.fetch(new Request('https://h/api/uploads', { headers })))
      return [(await list(emulator)).first_page_url, secure.path]
    },
    sees: [
      ['http', ['http://h/api/uploads?page=1', 'http://h/api/uploads']],
      ['wrong', ['https://h/api/uploads?page=1', 'http://h/api/uploads']],
    ],
  }),
]
