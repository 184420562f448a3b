import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { syntheticBytes } from '../../../../emulator/service/synthetic-file.ts'
import { mediaTypes, sniffMimeType } from '../../../../src/protocol/media-types.ts'

function bytes(mimeType: string, start: number, end: number): Promise<Buffer> {
  return buffer(syntheticBytes(mimeType, { start, end }))
}

test.each(mediaTypes.map(({ mimeType }) => mimeType))('the bytes of a synthetic file are %s', async (mimeType) => {
  expect(sniffMimeType(await bytes(mimeType, 0, 999))).toBe(mimeType)
})

test('a part of a synthetic file is that part of the whole', async () => {
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
