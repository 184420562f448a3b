/** The fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8 (FIPS 180-4). */
const roundWords = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]
const firstState = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8

/**
 * The SHA-256 of a short text, in hexadecimal digits. Loading node:crypto takes 3 to 4 ms of a command that hashes only
 * the name of its account (docs/performance.md).
 */
export function digestOfText(text: string): string {
  const bytes = Buffer.from(text)
  const blocks = Buffer.alloc(Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES)
  bytes.copy(blocks)
  blocks[bytes.length] = 0x80
  blocks.writeUInt32BE(bytes.length * 8, blocks.length - 4)
  let state: readonly number[] = firstState
  for (let at = 0; at < blocks.length; at += BLOCK_BYTES) state = withBlock(state, scheduleOf(blocks, at))
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** The words that the rounds of a block add. */
function scheduleOf(blocks: Buffer, at: number): Int32Array {
  const words = new Int32Array(roundWords.length)
  for (let n = 0; n < 16; n += 1) words[n] = blocks.readInt32BE(at + n * 4)
  for (let n = 16; n < words.length; n += 1) {
    const early = words[n - 15] as number
    const late = words[n - 2] as number
    const small = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)
    const large = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10)
    words[n] = (words[n - 16] as number) + small + (words[n - 7] as number) + large
  }
  return words
}

/** Without a function for each step, since nothing of it is called often enough to be compiled. */
function withBlock(state: readonly number[], words: Int32Array): readonly number[] {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let n = 0; n < words.length; n += 1) {
    const turnedE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const turnedA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const first = h + turnedE + ((e & f) ^ (~e & g)) + (roundWords[n] as number) + (words[n] as number)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + turnedA + ((b & c) ^ (b & d) ^ (c & d))) | 0
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] as number)) | 0)
}
