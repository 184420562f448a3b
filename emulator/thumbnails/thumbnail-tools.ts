import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

/** The path of the image library's entry; undefined if it is not installed. */
export function findImageLibrary(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('sharp')
  } catch {
    return undefined
  }
}

/** The path of ffmpeg; undefined if it is not on the PATH. */
export function findVideoProgram(): string | undefined {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg'
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return places.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The kinds of thumbnails this machine can make. */
export function thumbnailCapabilities(): readonly string[] {
  return [
    ...(findImageLibrary() === undefined ? [] : ['image_thumbnails']),
    ...(findVideoProgram() === undefined ? [] : ['video_thumbnails']),
  ]
}

/** In pixels; smaller pictures keep their size. */
export const longestSide = 256
