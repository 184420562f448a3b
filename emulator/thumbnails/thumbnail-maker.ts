import { createRequire } from 'node:module'

/** A stored file that needs a thumbnail. */
export interface ThumbnailSource {
  /** A media type that the service accepts. */
  readonly mimeType: string
  readonly sizeBytes: number
  /** All its bytes. */
  read(): AsyncIterable<Uint8Array>
  /** A read-only file with its bytes, to avoid holding them in memory; only of one larger than a MiB. */
  path(): string
}

/**
 * Makes a small JPEG of a file, within a time limit.
 * @returns `itself` if the file serves as its own thumbnail, `placeholder` for a grey picture, undefined if the file
 * yields none; it may also throw then
 */
export type ThumbnailMaker = (
  source: ThumbnailSource,
  signal: AbortSignal,
) => Promise<Uint8Array | 'itself' | 'placeholder' | undefined>

/** The part of sharp that thumbnails need; the package is optional. */
interface Sharp {
  (picture: Uint8Array | string, options: object): Picture
  cache(isOn: boolean): void
  concurrency(threads: number): void
}

interface Picture {
  metadata(): Promise<Readonly<Record<'width' | 'height' | 'channels', number> & { depth: string }>>
  autoOrient(): Picture
  timeout(limit: { readonly seconds: number }): Picture
  resize(options: object): Picture
  flatten(options: object): Picture
  jpeg(options: object): Picture
  toBuffer(): Promise<Uint8Array>
}

/** Looked up once: it takes as long as an upload. */
let found: { readonly path: string | undefined } | undefined

/** The path of the image library's entry; undefined if it is not installed. */
function findImageLibrary(): string | undefined {
  if (found !== undefined) return found.path
  try {
    found = { path: createRequire(import.meta.url).resolve('sharp') }
  } catch {
    found = { path: undefined }
  }
  return found.path
}

export function thumbnailCapabilities(): readonly string[] {
  return findImageLibrary() === undefined ? [] : ['image_thumbnails']
}

/** In pixels; smaller pictures keep their size. */
const longestSide = 256
/** Images up to this size are passed as bytes, so that small ones use no disk. */
const inMemoryBytes = 4_194_304
/** Of a picture's raster, and of its file: 33 million pixels of an ordinary photo. */
const maxRasterBytes = 104_857_600
const maxSeconds = 15

/**
 * Makes thumbnails of images with sharp: of each its first frame, upright, on white, without metadata. Without the library
 * an image is its own thumbnail; a video gets a grey picture. The maker throws an Error if an image is broken, too large or
 * takes too long.
 */
export function createThumbnailMaker(): ThumbnailMaker {
  let library: Sharp | undefined
  return async (source, signal) => {
    if (source.mimeType.startsWith('video/')) return 'placeholder'
    const path = findImageLibrary()
    if (path === undefined) return 'itself'
    if (source.sizeBytes > maxRasterBytes) throw new Error(`The file is larger than ${maxRasterBytes} bytes`)
    library ??= loaded(path)
    const isSmall = source.sizeBytes <= inMemoryBytes
    const image = isSmall ? Buffer.concat(await Array.fromAsync(source.read())) : source.path()
    return orAbort(thumbnailOf(library, image), signal)
  }
}

function loaded(path: string): Sharp {
  const sharp = createRequire(import.meta.url)(path) as Sharp
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

async function thumbnailOf(sharp: Sharp, image: Uint8Array | string): Promise<Uint8Array> {
  const options = { limitInputPixels: maxRasterBytes, failOn: 'error', sequentialRead: true }
  const picture = sharp(image, options).timeout({ seconds: maxSeconds })
  const { width, height, channels, depth } = await picture.metadata()
  const rasterBytes = width * height * channels * (depth === 'uchar' ? 1 : 2)
  if (rasterBytes > maxRasterBytes) {
    throw new Error(`The picture needs ${rasterBytes} bytes; up to ${maxRasterBytes} are decoded`)
  }
  const sized = picture
    .autoOrient()
    .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
  return sized.flatten({ background: '#ffffff' }).jpeg({ quality: 80 }).toBuffer()
}

/** The work itself goes on: the library cannot be stopped, but for its time limit. @throws the signal's reason */
function orAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
