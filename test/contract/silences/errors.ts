import { expect } from 'vitest'
import { endpoints } from '../../../src/protocol/endpoints.ts'
import type { Clauses } from '../clauses.ts'
import { call } from '../media.ts'
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
}
