import { type SpawnOptions, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { ThumbnailSource } from '../service/thumbnail-maker.ts'
import { boundedProgram, longestSide, type ProgramCall } from './thumbnail-tools.ts'

const timeoutMs = 20_000

/** Half for a frame of the largest picture, half for the frames it refers to. */
const maxMemoryBytes = 419_430_400

/** The pixels of a 100 MiB raster. */
const maxPixels = 34_952_533

const maxOutputBytes = 1_048_576

/**
 * A JPEG of a video's first frame; undefined if ffmpeg fails or exceeds a limit.
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
      memoryBytes: maxMemoryBytes,
      seconds: timeoutMs / 1_000,
    }),
    { stdio: ['ignore', 'pipe', 'ignore'], timeout: timeoutMs, killSignal: 'SIGKILL', windowsHide: true, signal },
  )
  return isJpeg(picture) ? picture : undefined
}

function programArguments(file: string, mimeType: string): readonly string[] {
  const scale = `scale='min(${longestSide},iw)':'min(${longestSide},ih)':force_original_aspect_ratio=decrease`
  // Fixed format and local files only: a video must not make ffmpeg open anything else.
  const input = ['-protocol_whitelist', 'file', '-f', mimeType === 'video/webm' ? 'matroska' : 'mov', '-i', file]
  const output = ['-map', '0:v:0', '-map_metadata', '-1', '-frames:v', '1', '-vf', scale]
  const bounds = ['-threads', '1', '-max_alloc', String(maxMemoryBytes), '-max_pixels', String(maxPixels)]
  return ['-nostdin', '-loglevel', 'quiet', ...bounds, ...input, ...output, '-f', 'mjpeg', '-q:v', '4', 'pipe:1']
}

function outputOf([program, ...args]: ProgramCall, options: SpawnOptions): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, options)
    const chunks: Buffer[] = []
    let bytes = 0
    // Also emitted if the program does not exist; `close` follows in any case.
    child.on('error', () => {})
    const output: Readable | null = child.stdout
    output?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxOutputBytes) chunks.push(chunk)
      else child.kill('SIGKILL')
    })
    // A child of a killed program may hold the output open.
    child.on('exit', (_, ended) => ended !== null && output?.destroy())
    child.on('close', (code) => resolve(code === 0 && bytes <= maxOutputBytes ? Buffer.concat(chunks) : undefined))
  })
}

function isJpeg(bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes !== undefined && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff
}
