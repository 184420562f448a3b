import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** @returns path and sha256 of so many small pictures, all different */
export async function writePictures(folder, count) {
  const pictures = []
  for (let index = 0; index < count; index += 1) {
    const bytes = Buffer.alloc(2_000 + (index % 3), index)
    bytes.set([0xff, 0xd8, 0xff, 0xe0])
    bytes.writeUInt32BE(index, 4)
    const path = join(folder, `${index}.jpg`)
    await writeFile(path, bytes)
    pictures.push({ path, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
  return pictures
}
