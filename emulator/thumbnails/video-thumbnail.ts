import { type SpawnOptions, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { ThumbnailSource } from '../service/thumbnail-maker.ts'
import { boundedProgram, type ProgramCall } from './bounded-program.ts'
import { longestSide } from './longest-side.ts'

const longestMs = 20_000

/** Half of it for one frame of the largest picture, and as much for those it was made of. */
const mostMemoryBytes = 419_430_400

/** As many as a raster of 100 MiB has. */
const mostPixels = 34_952_533

/** No thumbnail is larger; a program that writes more is not believed. */
const mostBytes = 1_048_576

/**
 * A JPEG of a video's first frame; undefined where the program fails, takes too long or too much.
 * @param program the path of ffmpeg
 */
export async function videoThumbnail(
  program: string,
  source: ThumbnailSource,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const file = await source.path()
  if (signal.aborted) return undefined
  const picture = await outputOf(
    boundedProgram([program, ...programArguments(file, source.mimeType)], {
      memoryBytes: mostMemoryBytes,
      seconds: longestMs / 1_000,
    }),
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: longestMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
      signal,
    },
  )
  return isJpeg(picture) ? picture : undefined
}

function programArguments(file: string, mimeType: string): readonly string[] {
  const scale = `scale='min(${longestSide},iw)':'min(${longestSide},ih)':force_original_aspect_ratio=decrease`
  // The format is not left to guessing and only files are read: what a video refers to is none of its business.
  const input = ['-protocol_whitelist', 'file', '-f', mimeType === 'video/webm' ? 'matroska' : 'mov', '-i', file]
  const output = ['-map', '0:v:0', '-map_metadata', '-1', '-frames:v', '1', '-vf', scale]
  const bounds = ['-threads', '1', '-max_alloc', String(mostMemoryBytes), '-max_pixels', String(mostPixels)]
  return ['-nostdin', '-loglevel', 'quiet', ...bounds, ...input, ...output, '-f', 'mjpeg', '-q:v', '4', 'pipe:1']
}

/** What a program wrote, once it has ended; undefined where it did not end well. */
function outputOf([program, ...args]: ProgramCall, options: SpawnOptions): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, options)
    const chunks: Buffer[] = []
    let bytes = 0
    // Also the word for a program that does not exist; it ends by itself in any case.
    child.on('error', () => {})
    const output: Readable | null = child.stdout
    output?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= mostBytes) chunks.push(chunk)
      else child.kill('SIGKILL')
    })
    // A program that it started in its turn may go on, and hold the output open.
    child.on('exit', (_, ended) => ended !== null && output?.destroy())
    child.on('close', (code) => resolve(code === 0 && bytes <= mostBytes ? Buffer.concat(chunks) : undefined))
  })
}

function isJpeg(bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes !== undefined && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff
}
