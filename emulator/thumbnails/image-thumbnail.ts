import type { Sharp, SharpOptions } from 'sharp'
import type { ThumbnailSource } from '../service/thumbnail-maker.ts'
import { longestSide } from './longest-side.ts'

/** The image library's entry, as far as it is used. */
export type ImageLibrary = (input: Uint8Array | string, options: SharpOptions) => Sharp

/** Images up to this size are handed over as bytes, so that small ones never touch the disk. */
const inMemoryBytes = 4_194_304

const options: SharpOptions = {
  // A small file can claim to be an enormous picture; more than a camera takes is not looked at.
  limitInputPixels: 100_000_000,
  failOn: 'error',
  sequentialRead: true,
}

const longestSeconds = 15

/**
 * A JPEG of an image, of the first frame where it moves: upright, on white where it is transparent, without metadata.
 * @throws what the library says about an image that is broken, too large or takes too long
 */
export async function imageThumbnail(source: ThumbnailSource, openImage: ImageLibrary): Promise<Uint8Array> {
  const input = source.sizeBytes <= inMemoryBytes ? await bytesOf(source) : await source.path()
  return openImage(input, options)
    .autoOrient()
    .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 80 })
    .timeout({ seconds: longestSeconds })
    .toBuffer()
}

async function bytesOf(source: ThumbnailSource): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}
