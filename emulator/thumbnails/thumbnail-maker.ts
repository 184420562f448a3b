import type { ThumbnailMaker, ThumbnailSource } from '../service/thumbnail-maker.ts'
import { createImageProcess, type ImageProcess } from './image-process.ts'
import { findImageLibrary, findVideoProgram } from './thumbnail-tools.ts'
import { videoThumbnail } from './video-thumbnail.ts'

interface ThumbnailMakerOptions {
  /** Undefined if the image library is not installed. */
  readonly imageLibrary?: () => string | undefined
}

/**
 * Makes thumbnails with the tools of this machine. Without the image library an image is its own thumbnail; without
 * ffmpeg a video gets a grey picture.
 */
export function createThumbnailMaker({ imageLibrary = findImageLibrary }: ThumbnailMakerOptions = {}): ThumbnailMaker {
  let images: ImageProcess | undefined
  return async (source, signal) => {
    if (source.mimeType.startsWith('video/')) {
      const program = findVideoProgram()
      return program === undefined ? 'placeholder' : videoThumbnail(program, source, signal)
    }
    if (images === undefined) {
      const library = imageLibrary()
      if (library === undefined) return 'itself'
      images = createImageProcess(library)
    }
    return imageThumbnail(source, images, signal)
  }
}

/** Images up to this size are passed as bytes, so that small ones use no disk. */
const inMemoryBytes = 4_194_304

/**
 * A JPEG of an image: first frame, upright, on white, without metadata.
 * @throws Error if the image is broken, too large or takes too long
 */
async function imageThumbnail(source: ThumbnailSource, images: ImageProcess, signal: AbortSignal): Promise<Uint8Array> {
  const picture = source.sizeBytes <= inMemoryBytes ? await bytesOf(source) : await source.path()
  return images.thumbnail(picture, signal)
}

async function bytesOf(source: ThumbnailSource): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}
