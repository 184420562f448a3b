import type { DownloadTarget } from '../../src/client/download/download-target.ts'

/** A target of a download in memory, and the places at which the download began. */
export function memoryTarget() {
  let chunks: Uint8Array[] = []
  const starts: number[] = []
  let validator: string | undefined
  const content = () => Buffer.concat(chunks)
  const target: DownloadTarget = {
    name: 'a.jpg',
    resume: () => ({ bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0), validator }),
    async begin(point) {
      starts.push(point.bytes)
      chunks = [content().subarray(0, point.bytes)]
      validator = point.validator
    },
    async write(chunk) {
      chunks.push(chunk)
    },
  }
  return { target, starts, content }
}
