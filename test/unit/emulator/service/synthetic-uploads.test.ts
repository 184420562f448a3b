import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { syntheticBytes } from '../../../../emulator/service/synthetic-uploads.ts'
import { mediaTypes, sniffMimeType } from '../../../../src/protocol/media-types.ts'

function bytes(mimeType: string, start: number, end: number): Promise<Buffer> {
  return buffer(syntheticBytes(mimeType, { start, end }))
}

test.each(mediaTypes.map(({ mimeType }) => mimeType))('a synthetic file has the signature of %s', async (mimeType) => {
  expect(sniffMimeType(await bytes(mimeType, 0, 999))).toBe(mimeType)
})

test('a range of a synthetic file is the same bytes as in the whole', async () => {
  const whole = await bytes('image/png', 0, 999_999)
  expect(whole.length).toBe(1_000_000)
  for (const [start, end] of [
    [0, 0],
    [3, 5],
    [5, 20],
    [262_140, 524_300],
    [999_999, 999_999],
  ] as const) {
    expect((await bytes('image/png', start, end)).equals(whole.subarray(start, end + 1))).toBe(true)
  }
})
