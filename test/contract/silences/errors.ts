import { expect } from 'vitest'
import { endpoints } from '../../../src/protocol/endpoints.ts'
import { unlimited } from '../../../src/protocol/rate-limits.ts'
import { multipartForm } from '../../helpers/multipart-form.ts'
import { createAccount } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call, postForm } from '../media.ts'
import type { OwnTarget } from '../targets.ts'

/** Choices on spec 7: errors. */
export function errorSilences(target: OwnTarget, { clause }: Clauses): void {
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
}
