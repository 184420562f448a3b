import type { ThumbnailMaker } from '../service/thumbnail-maker.ts'
import { createImageProcess, type ImageProcess } from './image-process.ts'
import { findImageLibrary, findVideoProgram } from './thumbnail-tools.ts'
import { videoThumbnail } from './video-thumbnail.ts'

interface ThumbnailMakerOptions {
  /** Undefined if the image library is not installed. */
  readonly imageLibrary?: () => string | undefined
}

/**
 * Makes thumbnails with the tools of this machine: of an image its first frame, upright, on white, without metadata.
 * Without the image library an image is its own thumbnail; without ffmpeg a video gets a grey picture. The maker throws
 * an Error if an image is broken, too large or takes too long.
 */
export function createThumbnailMaker({ imageLibrary = findImageLibrary }: ThumbnailMakerOptions = {}): ThumbnailMaker {
  let images: ImageProcess | undefined
  /** Looked up once: it takes as long as an upload. */
  let hasNoLibrary = false
  return async (source, signal) => {
    if (source.mimeType.startsWith('video/')) {
      const program = findVideoProgram()
      return program === undefined ? 'placeholder' : videoThumbnail(program, source, signal)
    }
    if (images === undefined) {
      const library = hasNoLibrary ? undefined : imageLibrary()
      hasNoLibrary = library === undefined
      if (library === undefined) return 'itself'
      images = createImageProcess(library)
    }
    const isSmall = source.sizeBytes <= inMemoryBytes
    const image = isSmall ? Buffer.concat(await Array.fromAsync(source.read())) : await source.path()
    return images.thumbnail(image, signal)
  }
}

/** Images up to this size are passed as bytes, so that small ones use no disk. */
const inMemoryBytes = 4_194_304
