import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Timeline } from '../../../emulator/clock/clock.ts'
import { createBandwidth } from '../../../src/client/bandwidth.ts'

async function* chunksOf(...lengths: readonly number[]) {
  for (const length of lengths) yield new Uint8Array(length)
}

/** Sends them at a rate; the time and the size of each piece that leaves. */
async function sending(bytesPerSecond: number, bodies: readonly (readonly number[])[]) {
  const clock = new Timeline(0)
  const bandwidth = createBandwidth(bytesPerSecond, clock)
  const pieces: { readonly at: number; readonly bytes: number }[][] = bodies.map(() => [])
  const ends = bodies.map(async (lengths, body) => {
    for await (const { length } of bandwidth(chunksOf(...lengths), undefined)) {
      pieces[body]?.push({ at: clock.now(), bytes: length })
    }
    return clock.now()
  })
  // Until the first piece of each waits for its turn.
  await setImmediate()
  return { clock, pieces, ended: Promise.all(ends) }
}

test('bytes leave evenly: in every second as many, and never a long pause', async () => {
  const { clock, pieces, ended } = await sending(1_000, [[10_000]])
  await clock.advance(11_000)
  await ended
  const [sent = []] = pieces
  for (const second of [0, 5, 9]) {
    const within = sent.filter(({ at }) => Math.ceil(at / 1_000) === second + 1)
    expect(within.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(1_000)
  }
  expect(Math.max(...sent.map(({ at }, index) => at - (sent[index - 1]?.at ?? 0)))).toBeLessThan(100)
})

test('two uploads share the rate, and one alone gets it whole', async () => {
  const { clock, ended } = await sending(1_000, [[1_000], [3_000]])
  await clock.advance(5_000)
  const [first = 0, second = 0] = await ended
  expect([Math.round(first / 200), Math.round(second / 200)]).toEqual([10, 20])
})
