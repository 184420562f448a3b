import { invalidValue } from '../checks/coded-error.ts'

/** A Blob is read in pieces, so that memory holds one of them and progress and a break in the middle show. */
const SLICE_BYTES = 262_144

/** Whether a value is a Blob or File of any environment: those of jsdom and happy-dom are not of Node's classes. */
export function isBlob(value: unknown): value is Blob {
  const { size, type, slice } = Object(value)
  return typeof size === 'number' && typeof type === 'string' && typeof slice === 'function'
}

/** The bytes of a Blob or File of any environment. */
export async function* blobChunks(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += SLICE_BYTES) yield await blobBytes(blob.slice(at, at + SLICE_BYTES))
}

/** All bytes of a small Blob. @throws TypeError if its environment has no way to read it */
export async function blobBytes(blob: Blob): Promise<Uint8Array> {
  return Buffer.from(await (typeof blob.arrayBuffer === 'function' ? blob.arrayBuffer() : readWithFileReader(blob)))
}

interface Reader {
  result: ArrayBuffer
  error: unknown
  onload: () => void
  onerror: () => void
  readAsArrayBuffer(blob: Blob): void
}

/** jsdom has no other way to read a Blob. */
function readWithFileReader(blob: Blob): Promise<ArrayBuffer> {
  const { FileReader } = globalThis as { FileReader?: new () => Reader }
  if (FileReader === undefined) throw invalidValue('This Blob has no arrayBuffer(), and there is no FileReader')
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result)
    reader.onerror = () => reject(reader.error)
    reader.readAsArrayBuffer(blob)
  })
}
