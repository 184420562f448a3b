import { StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { EmulatorOptions } from '../../../../emulator/index.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, send } from '../emulated.ts'

const failure = new Error('The disk is full')

/** An emulator whose database fails to do what such a method does for such SQL. */
async function failing(method: 'get' | 'run', sql: RegExp, options: EmulatorOptions = {}) {
  const emulator = await emulated(options)
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const real = StatementSync.prototype[method]
  const spy = vi.spyOn(StatementSync.prototype, method).mockImplementation(function (this: StatementSync, ...values) {
    if (sql.test(this.sourceSQL)) throw failure
    return Reflect.apply(real, this, values)
  })
  onTestFinished(async () => {
    spy.mockRestore()
    // What could not be written is given up by then.
    await nextTurn()
    warn.mockRestore()
  })
  return { emulator, warn }
}

test('silence 77: an internal error is answered 500 without details, charged and logged', async () => {
  const { emulator, warn } = await failing('get', /FROM totals/)
  const response = await send(emulator, 'GET', '/api/stats')
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{\n    "message": "Server Error"\n}')
  expect(response.headers.get('X-RateLimit-Cost')).toBe('1')
  const logged = { status: 500, cost: 1, account_id: 1 }
  expect(emulator.control.requests.list().requests).toMatchObject([logged])
  expect(warn).toHaveBeenCalledWith(failure)
})

test('a write that cannot be made safe is answered 500, open to other origins, and a read is answered', async () => {
  const { emulator, warn } = await failing('run', /^/, { data: temporaryFolder() })
  const write = await send(emulator, 'POST', '/api/upload')
  expect([write.status, write.headers.get('Access-Control-Allow-Origin')]).toEqual([500, '*'])
  expect((await send(emulator, 'GET', '/api/stats')).status).toBe(200)
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ cause: failure }))
})

test('a request outside the API that fails is answered 500', async () => {
  const { emulator, warn } = await failing('get', /FROM totals/)
  const { status, headers } = await send(emulator, 'GET', '/_emulator/health')
  expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([500, null])
  expect(warn).toHaveBeenCalledWith(failure)
})
