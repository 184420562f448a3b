import type { ThumbnailSource } from '../service/thumbnail-maker.ts'
import type { ImageProcess } from './image-process.ts'
import { judgePicture } from './picture-size.ts'

/** Images up to this size are handed over as bytes, so that small ones never touch the disk. */
const inMemoryBytes = 4_194_304

/**
 * A JPEG of an image, of the first frame where it moves: upright, on white where it is transparent, without metadata.
 * @throws Error about an image that is broken, too large or takes too long
 */
export async function imageThumbnail(
  source: ThumbnailSource,
  images: ImageProcess,
  signal: AbortSignal,
): Promise<Uint8Array> {
  await judgePicture(source, signal)
  const picture = source.sizeBytes <= inMemoryBytes ? await bytesOf(source) : await source.path()
  return images.thumbnail(picture, signal)
}

async function bytesOf(source: ThumbnailSource): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}
