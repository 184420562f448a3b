const isoFreeBox = Buffer.from('\0\0\0\x08free', 'latin1')
const ebmlVoid = Buffer.from([0xec, 0x82, 0, 0])
const padding = Buffer.alloc(8)

/**
 * What is added to a file that a service would have written anew. Decoders pass it over, so that the picture stays the
 * same while its size and digest do not, which is all a client can notice of a re-encoded file.
 */
export function reencodingTrail(mimeType: string): Uint8Array {
  if (mimeType === 'video/mp4' || mimeType === 'video/quicktime') return isoFreeBox
  return mimeType === 'video/webm' ? ebmlVoid : padding
}
