import { isAnyArrayBuffer } from 'node:util/types'

/** The bytes of a buffer or a view, of any realm; undefined for anything else. Shares the memory. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return isAnyArrayBuffer(value) ? new Uint8Array(value) : undefined
}
