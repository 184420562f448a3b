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

export function thumbnailCapabilities(): readonly string[] {
  return [
    ...(findImageLibrary() === undefined ? [] : ['image_thumbnails']),
    ...(findVideoProgram() === undefined ? [] : ['video_thumbnails']),
  ]
}

/** In pixels; smaller pictures keep their size. */
export const longestSide = 256

export type ProgramCall = readonly [program: string, ...args: readonly string[]]

interface Bounds {
  readonly memoryBytes: number
  /** CPU time, in case the program outlives this process; unlimited by default. */
  readonly seconds?: number
}

/**
 * Runs a program with a memory limit. It limits written memory, since reserved memory can be far larger. Windows has no
 * such limit; there only time limits apply.
 */
export function boundedProgram([program, ...args]: ProgramCall, { memoryBytes, seconds }: Bounds): ProgramCall {
  if (process.platform === 'win32') return [program, ...args]
  const limits = [`-d ${Math.floor(memoryBytes / 1_024)}`, '-c 0', ...(seconds === undefined ? [] : [`-t ${seconds}`])]
  const script = `${limits.map((limit) => `ulimit ${limit} 2>/dev/null; `).join('')}exec "$0" "$@"`
  return ['/bin/sh', '-c', script, program, ...args]
}
