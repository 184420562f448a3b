import type { ThumbnailMaker } from '../service/thumbnail-maker.ts'
import { type ImageLibrary, imageThumbnail } from './image-thumbnail.ts'
import { videoThumbnail } from './video-thumbnail.ts'

interface ThumbnailMakerOptions {
  /** Loads the image library when the first image asks for it; rejects where it is not installed. */
  readonly loadImageLibrary?: () => Promise<ImageLibrary>
}

/** Makes thumbnails with what this machine has: without the image library none of images, without ffmpeg none of videos. */
export function createThumbnailMaker({ loadImageLibrary = loadSharp }: ThumbnailMakerOptions = {}): ThumbnailMaker {
  let library: Promise<ImageLibrary | undefined> | undefined
  return async (source, signal) => {
    if (source.mimeType.startsWith('video/')) return videoThumbnail(source, signal)
    library ??= loadImageLibrary().catch(() => undefined)
    const openImage = await library
    return openImage && imageThumbnail(source, openImage)
  }
}

async function loadSharp(): Promise<ImageLibrary> {
  return (await import('sharp')).default
}
