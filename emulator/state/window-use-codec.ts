import type { BucketUse, Charge, CounterUse, SlidingUse, SteppedUse, WindowUse } from '../storage/window-use.ts'
import { checkedBy, instant, listOf, objectOf, oneOf, unionOf, wholeNumber } from '../values/codec.ts'

const stepped = objectOf<SteppedUse>({ kind: oneOf('fixed', 'aligned'), startedAt: instant, units: wholeNumber })

const sliding = objectOf<SlidingUse>({
  kind: oneOf('sliding'),
  charges: listOf(objectOf<Charge>({ at: instant, units: wholeNumber })),
})

const counter = objectOf<CounterUse>({
  kind: oneOf('sliding_counter'),
  startedAt: instant,
  units: wholeNumber,
  unitsBefore: wholeNumber,
})

/** Fractional if the clock is. */
const debt = checkedBy<number>('a number from zero up', (found) => typeof found === 'number' && found >= 0)

const bucket = objectOf<BucketUse>({ kind: oneOf('token_bucket'), at: instant, debt })

/** The charges of a window of any kind. */
export const windowUse = unionOf<WindowUse, 'kind'>('kind', {
  fixed: stepped,
  aligned: stepped,
  sliding,
  sliding_counter: counter,
  token_bucket: bucket,
})
