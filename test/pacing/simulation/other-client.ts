import type { Clock } from '../../../src/clock.ts'
import type { Random } from './random.ts'
import type { SimulatedService } from './service.ts'

/** Another client with the same key, which uses half of the hourly quota and does not retry. */
export const strangers = ['steady', 'bursty', 'small'] as const

export type Stranger = (typeof strangers)[number]

export interface StrangerTally {
  sent: number
  refused: number
}

/** What a stranger sends: rows of `row` requests `gapMs` apart, one row every `everyMs`. */
const habits: Readonly<
  Record<Stranger, { readonly cost: number; readonly row: number; readonly gapMs: number; readonly everyMs: number }>
> = {
  steady: { cost: 10, row: 1, gapMs: 0, everyMs: 72_000 },
  bursty: { cost: 10, row: 10, gapMs: 11_000, everyMs: 720_000 },
  small: { cost: 1, row: 1, gapMs: 0, everyMs: 7_200 },
}

/** Never ends. */
export async function beStranger(
  stranger: Stranger,
  tally: StrangerTally,
  { clock, random, service }: { readonly clock: Clock; readonly random: Random; readonly service: SimulatedService },
): Promise<void> {
  const { cost, row, gapMs, everyMs } = habits[stranger]
  const startAt = clock.now() + random() * everyMs
  for (let period = 0; ; period += 1) {
    for (let place = 0; place < row; place += 1) {
      await clock.sleep(Math.max(startAt + period * everyMs + place * gapMs - clock.now(), 0))
      const { status } = await service.request(cost)
      tally.sent += 1
      if (status === 429) tally.refused += 1
    }
  }
}
