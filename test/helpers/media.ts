import { fileURLToPath } from 'node:url'

/** The path of a fixture: photo.jpg, picture.png, animation.gif, picture.webp, clip.mp4, clip.webm, clip.mov. */
export function mediaPath(name: string): string {
  return fileURLToPath(new URL(`../fixtures/media/${name}`, import.meta.url))
}

/** The fixtures, one of each accepted type, with their MIME types. */
export const mediaFiles: readonly (readonly [string, string])[] = [
  ['photo.jpg', 'image/jpeg'],
  ['picture.png', 'image/png'],
  ['animation.gif', 'image/gif'],
  ['picture.webp', 'image/webp'],
  ['clip.mp4', 'video/mp4'],
  ['clip.webm', 'video/webm'],
  ['clip.mov', 'video/quicktime'],
]

/** Bytes that count as a JPEG; at least 4. */
export function jpegBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length, 0x20)
  bytes.set([0xff, 0xd8, 0xff, 0xe0])
  return bytes
}

/** An upload as the service answers it. */
export const uploadObject = {
  slug: 'a1B2c3D4e5',
  title: null,
  url: 'http://h/i/a1B2c3D4e5',
  direct_url: 'http://h/i/a1B2c3D4e5.jpg',
  thumb_url: null,
  mime_type: 'image/jpeg',
  size: 123,
  views: 0,
  likes: 0,
  created_at: '2026-11-20T23:32:18+02:00',
}
