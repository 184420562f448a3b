import type { Emulator } from '../../../../emulator/index.ts'
import { unlimited } from '../../../../src/protocol/rate-limits.ts'
import { send } from '../emulated.ts'
import { emptyUpload, missing, rows, stats, statuses } from './wire-row.ts'

/** Sends until a request is refused; returns how many were admitted and the seconds in the refusal. */
async function untilRefused(emulator: Emulator): Promise<readonly [number, number]> {
  for (let count = 0; ; count += 1) {
    const response = await stats(emulator)()
    if (response.status === 429) return [count, Number(response.headers.get('Retry-After'))]
  }
}

const quotaHeaders = ({ headers }: Response) => [
  headers.get('X-RateLimit-Cost'),
  headers.get('X-RateLimit-Limit'),
  headers.get('X-RateLimit-Remaining'),
]

const burstOf = (burst: number) => ({ quotas: { ...unlimited, burst } })

export const quotaRows = [
  ...rows('quotas', {
    observe: async (emulator) => (await stats(emulator)()).headers.get('X-RateLimit-Limit'),
    sees: [
      [{ minute: 7 }, '7'],
      [unlimited, null],
    ],
  }),
  ...rows('quota_windows', {
    options: burstOf(10),
    async observe(emulator) {
      await emulator.control.clock.advance(2_000)
      for (let count = 0; count < 5; count += 1) await stats(emulator)()
      await emulator.control.clock.advance(4_000)
      const [count, seconds] = await untilRefused(emulator)
      await emulator.control.clock.advance(seconds * 1_000)
      return [count, seconds, (await untilRefused(emulator))[0]]
    },
    sees: [
      ['fixed', [5, 6, 10]],
      ['aligned', [5, 4, 10]],
      ['sliding', [5, 6, 5]],
      ['sliding_counter', [5, 5, 1]],
      ['token_bucket', [9, 1, 1]],
    ],
  }),
  ...rows('quota_admission', {
    options: burstOf(15),
    observe: (emulator) => statuses(emptyUpload(emulator), emptyUpload(emulator), stats(emulator)),
    sees: [['overshoot', [422, 422, 429]]],
  }),
  ...rows('charge_rejected', {
    options: burstOf(15),
    async observe(emulator) {
      const found = await statuses(emptyUpload(emulator), emptyUpload(emulator), stats(emulator))
      return [found, emulator.control.requests.list().requests.map(({ cost }) => cost)]
    },
    sees: [
      [
        true,
        [
          [422, 429, 429],
          [10, 10, 1],
        ],
      ],
    ],
  }),
  ...rows('charge_failed', {
    options: { quotas: { minute: 60 } },
    async observe(emulator) {
      const headers = [quotaHeaders(await missing(emulator)()), quotaHeaders(await emptyUpload(emulator)())]
      const { minute, burst } = emulator.control.accounts.quota(1)
      return [headers, minute.used, burst.used, emulator.control.requests.list().requests.map(({ cost }) => cost)]
    },
    sees: [
      [
        false,
        [
          [
            ['0', '60', '60'],
            ['0', '60', '60'],
          ],
          0,
          0,
          [0, 0],
        ],
      ],
    ],
  }),
  ...rows('rate_headers', {
    options: { quotas: { burst: 2, minute: 60 } },
    async observe(emulator) {
      const wrongKey = () => send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })
      const noRoute = () => send(emulator, 'GET', '/api/none')
      const found: unknown[] = []
      for (const answer of [stats(emulator), missing(emulator), stats(emulator), wrongKey, noRoute]) {
        found.push(quotaHeaders(await answer()).join())
      }
      return found
    },
    sees: [['all', ['1,60,59', '1,60,58', '0,60,58', '0,60,60', '0,60,60']]],
  }),
  ...rows('reset_format', {
    options: { quotas: { minute: 60 } },
    observe: async (emulator) => (await stats(emulator)()).headers.get('X-RateLimit-Reset'),
    sees: [['epoch_ms', '1768478460000']],
  }),
  ...rows('retry_after', {
    options: burstOf(1),
    async observe(emulator) {
      await stats(emulator)()
      await emulator.control.clock.advance(1_500)
      return (await stats(emulator)()).headers.get('Retry-After')
    },
    sees: [
      ['http_date', 'Thu, 15 Jan 2026 12:00:10 GMT'],
      ['zero', '0'],
    ],
  }),
  ...rows('soft_delay', {
    options: { quotas: { ...unlimited, minute: 10 } },
    async observe(emulator) {
      const held: number[] = []
      for (let count = 0; count < 10; count += 1) {
        const before = emulator.clock.now()
        await stats(emulator)()
        held.push(emulator.clock.now() - before)
      }
      return held
    },
    sees: [['off', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]],
  }),
]
