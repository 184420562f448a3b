import { buffer } from 'node:stream/consumers'
import Form from 'form-data'
import { expect, test } from 'vitest'
import { createUploadBody } from '../../../../src/client/sources/upload-body.ts'

const content = Buffer.from('what is\r\n\r\nbetween')

function bodyOf(name: string) {
  async function* read() {
    yield content
  }
  const source = {
    name,
    mimeType: 'image/jpeg',
    head: content,
    size: content.length,
    replayable: true,
    isAtHand: true,
    read,
    close() {},
  }
  return createUploadBody(source)
}

test.each(['photo.jpg', 'a"b.jpg', 'schön 写真.jpg', '.jpg', 'a\r\nX-Evil: 1.jpg'])(
  'the form of an upload named %j is byte for byte what form-data writes, and as long as announced',
  async (name) => {
    const body = await bodyOf(name)
    const sent = await buffer(body.chunks())
    const form = new Form()
    form.setBoundary(/boundary=(-{26}[0-9a-f]{24})$/.exec(body.contentType)?.[1] ?? '')
    form.append('file', content, { filename: name, contentType: 'image/jpeg' })
    expect(sent.toString()).toBe(form.getBuffer().toString())
    expect(body.length).toBe(sent.length)
  },
)
