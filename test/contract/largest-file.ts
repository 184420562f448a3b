import { expect, test } from 'vitest'
import { multipartForm } from '../helpers/multipart-form.ts'
import { type ContractTarget, keyOf } from './targets.ts'

/** The largest file by default; sends 200 MB, and is the same in every dialect. */
export function largestFileClause(target: ContractTarget): void {
  test('spec 4.1, 8.7: a file of 209,715,200 bytes is accepted, and one byte more is refused', async () => {
    const form = multipartForm({ name: 'file', fileName: 'a.png', content: '' })
    const cut = form.body.indexOf('\r\n\r\n') + 4
    const parts = { head: form.body.subarray(0, cut), tail: form.body.subarray(cut) }
    const headers = { ...keyOf(target), ...form.headers }
    // A type that is not stored, so the bytes are only counted.
    const messages = ['The file field must be a file of type: jpg, jpeg, png, gif, webp, mp4, webm, mov.']
    for (const sizeBytes of [209_715_200, 209_715_201]) {
      const answer = await target.send('POST', '/api/upload', { headers, body: blankFile(parts, sizeBytes) })
      expect([answer.status, answer.json.errors['file']]).toEqual([422, messages])
      messages.push('The file field must not be greater than 204800 kilobytes.')
    }
  })
}

interface FormAroundFile {
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

/** A form with a file of blanks, generated in pieces. */
function blankFile({ head, tail }: FormAroundFile, sizeBytes: number): ReadableStream<Uint8Array> {
  const piece = Buffer.alloc(262_144, ' ')
  let left = sizeBytes
  return new ReadableStream({
    start: (stream) => stream.enqueue(head),
    pull(stream) {
      stream.enqueue(piece.subarray(0, Math.min(left, piece.length)))
      left -= Math.min(left, piece.length)
      if (left > 0) return
      stream.enqueue(tail)
      stream.close()
    },
  })
}
