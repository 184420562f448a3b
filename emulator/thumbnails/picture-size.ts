import type { ThumbnailSource } from '../service/thumbnail-maker.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'

/** What decoding would take, according to the picture's header, which may lie. */
export interface PictureSize {
  readonly width: number
  readonly height: number
  /** Bytes per pixel, all channels together. */
  readonly pixelBytes: number
  /** How often a decoder goes over the whole picture. */
  readonly passes: number
}

/** The largest decoded picture: 33 million pixels of an ordinary photo. */
const maxRasterBytes = 104_857_600

/** The header of a JPEG ends here at the latest; only metadata comes before. */
const maxHeadBytes = 4_194_304

/** Ten passes over the most pixels allowed, and half as many again for smaller pictures with more passes. */
const maxDecodedPixels = 600_000_000

/**
 * Checks a picture's header before anything decodes the picture.
 * @throws Error if decoding would take too much, or the header does not match the type; the signal's reason if it
 * aborts
 */
export async function checkPicture({ mimeType, read }: ThumbnailSource, signal: AbortSignal): Promise<void> {
  const reader = createByteReader(read(), signal)
  try {
    const size = await sizeReaders[mimeType]?.(reader)
    if (size === undefined) throw new Error(`This is no ${mimeType} that can be read`)
    const { width, height, pixelBytes, passes } = size
    const told = `The picture says that it has ${width} × ${height} pixels`
    if (width * height * pixelBytes > maxRasterBytes) {
      throw new Error(`${told} of ${pixelBytes} bytes; up to ${maxRasterBytes} bytes are decoded`)
    }
    if (width * height * passes > maxDecodedPixels) throw new Error(`${told} in ${passes} scans, which takes too long`)
  } finally {
    await reader.close()
  }
}

type SizeReader = (reader: ByteReader) => Promise<PictureSize | undefined>

const sizeReaders: Readonly<Record<string, SizeReader>> = {
  'image/png': pngSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
  'image/jpeg': jpegSize,
}

/** By colour type, including the transparency that a palette or a separate chunk may add. */
const pngChannels: Readonly<Record<number, number>> = { 0: 2, 2: 4, 3: 4, 4: 2, 6: 4 }

async function pngSize(reader: ByteReader): Promise<PictureSize | undefined> {
  const head = await reader.take(26)
  const channels = pngChannels[head?.readUInt8(25) ?? -1]
  if (head === undefined || channels === undefined) return undefined
  const depth = head.readUInt8(24) > 8 ? 2 : 1
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20), pixelBytes: channels * depth, passes: 1 }
}

async function gifSize(reader: ByteReader): Promise<PictureSize | undefined> {
  const head = await reader.take(10)
  return head && { width: head.readUInt16LE(6), height: head.readUInt16LE(8), pixelBytes: 4, passes: 1 }
}

async function webpSize(reader: ByteReader): Promise<PictureSize | undefined> {
  const head = await reader.take(30)
  if (head === undefined) return undefined
  const size = (width: number, height: number) => ({ width, height, pixelBytes: 4, passes: 1 })
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return size(head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1)
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case 'VP8 ':
      return size(head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff)
    default:
      return undefined
  }
}

/** Each scan of a JPEG is a pass. Scans are counted by markers, which their data cannot contain. */
async function jpegSize(reader: ByteReader): Promise<PictureSize | undefined> {
  if (!(await reader.skip(2))) return undefined
  let frame: Omit<PictureSize, 'passes'> | undefined
  let passes = 0
  let until = maxHeadBytes
  for (;;) {
    const marker = await reader.marker(until)
    if (marker === undefined || marker === endOfImage) break
    const length = (await reader.take(2))?.readUInt16BE()
    if (length === undefined || length < 2) break
    if (isFrame(marker)) {
      frame ??= await frameOf(reader, length)
      until = Number.POSITIVE_INFINITY
    } else await reader.skip(length - 2)
    if (marker === startOfScan) passes += 1
    // Already over the limit.
    if (frame !== undefined && frame.width * frame.height * passes > maxDecodedPixels) break
  }
  return frame && { ...frame, passes }
}

const endOfImage = 0xd9
const startOfScan = 0xda

/** SOF0 to SOF15, without DHT, JPG and DAC, which lie between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

async function frameOf(reader: ByteReader, length: number): Promise<Omit<PictureSize, 'passes'> | undefined> {
  const body = await reader.take(length - 2)
  if (body === undefined || body.length < 6) return undefined
  const depth = body.readUInt8(0) > 8 ? 2 : 1
  return { height: body.readUInt16BE(1), width: body.readUInt16BE(3), pixelBytes: body.readUInt8(5) * depth }
}
