import { expect } from 'vitest'
import { endpoints } from '../../../src/protocol/endpoints.ts'
import { unlimited } from '../../../src/protocol/rate-limits.ts'
import { multipartForm } from '../../helpers/multipart-form.ts'
import { createAccount } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call, postForm } from '../media.ts'
import { keyOf, type OwnTarget } from '../targets.ts'

/** Choices on spec 7: errors. */
export function errorSilences(target: OwnTarget, { clause, fact }: Clauses): void {
  const notFound = 'No query results for model [App\\Models\\Upload].'

  fact(
    'silence 76: the 404 for an unknown slug has the framework’s message, which names the model',
    notFound,
    async () => {
      return (await call(target, 'GET', '/api/uploads/none')).json.message
    },
  )

  clause('silence 77: every call with an internal error is answered 500 with the framework’s message', async () => {
    const { faults } = target.emulator.control
    faults.set([{ times: null, action: { type: 'status', status: 500 } }])
    try {
      for (const { method, path } of Object.values(endpoints)) {
        const { status, json } = await call(target, method, path.replace('{slug}', 'none'))
        expect([status, json]).toEqual([500, { message: 'Server Error' }])
      }
    } finally {
      faults.clear()
    }
  })

  clause('silence 78: every 403 has only an error', async () => {
    for (const fields of [{ suspended: true }, { ip_allowlist: ['10.0.0.1'] }]) {
      const { account } = createAccount(target, fields)
      const { status, json } = await call(account, 'GET', '/api/stats')
      expect([status, json]).toEqual([403, { error: expect.any(String) }])
    }
  })

  clause('silence 79: a path that is not valid UTF-8 is answered 400', async () => {
    const { status, json } = await call(target, 'GET', '/api/uploads/%ff')
    expect([status, json]).toEqual([400, { message: 'Malformed URL.' }])
  })

  clause(
    'silence 80: the service writes JSON on one line with escaped slashes, the framework indents exceptions',
    async () => {
      const { account } = createAccount(target, { quotas: unlimited })
      const list = (await call(account, 'GET', '/api/uploads')).text
      expect(list).toMatch(
        /^\{"current_page":1,"data":\[\],"first_page_url":"https?:\\\/\\\/[^"]*\\\/api\\\/uploads\?page=1"/,
      )
      expect(list).toMatch(/^[\x20-\x7e]*$/)
      const exception = (await call(account, 'GET', '/api/nope')).text
      expect(exception).toBe('{\n    "message": "The route api/nope could not be found."\n}')
      const validation = await postForm(account, multipartForm({ name: 'other', content: '' }))
      expect(validation.text).toMatch(/^\{"message":"The file field is required\.","errors":/)
    },
  )

  clause('silence 81: a client that asks for Romanian gets errors in English', async () => {
    const headers = { ...keyOf(target), 'Accept-Language': 'ro' }
    const answers = [
      await target.send('GET', '/api/nope', { headers }),
      await target.send('GET', '/api/stats', { headers: { 'Accept-Language': 'ro' } }),
    ]
    const words = answers.map(({ json }) => json.message ?? json.error)
    expect(words).toEqual(['The route api/nope could not be found.', 'Invalid API key.'])
  })
}
