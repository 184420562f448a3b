import { gzipSync } from 'node:zlib'

/**
 * A tar.gz of files. The same bytes give the same archive on every machine: no times, no owners.
 *
 * @param files `{ name, bytes, isProgram }` each, names of up to 99 characters
 */
export function archiveOf(files) {
  const parts = files.flatMap(({ name, bytes, isProgram }) => [
    header(name, bytes.length, isProgram ? 0o755 : 0o644),
    bytes,
    Buffer.alloc((512 - (bytes.length % 512)) % 512),
  ])
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1_024)]), { level: 9 })
}

/** As ustar has it: numbers in octal, and a sum over the header in which the field of the sum is blank. */
function header(name, size, mode) {
  const block = Buffer.alloc(512)
  const octal = (value, digits) => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(name, 0)
  block.write(octal(mode, 7) + octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 100)
  block.write('        0', 148)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
