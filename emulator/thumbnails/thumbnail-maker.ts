import type { ThumbnailMaker } from '../service/thumbnail-maker.ts'
import { createImageProcess, type ImageProcess } from './image-process.ts'
import { imageThumbnail } from './image-thumbnail.ts'
import { findImageLibrary, findVideoProgram } from './thumbnail-tools.ts'
import { videoThumbnail } from './video-thumbnail.ts'

interface ThumbnailMakerOptions {
  /** Where the image library is; undefined where it is not installed. */
  readonly imageLibrary?: () => string | undefined
}

/**
 * Makes thumbnails with what this machine has: without the image library an image is its own, and without ffmpeg a
 * video's is a grey picture.
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
