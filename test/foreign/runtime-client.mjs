// Uses the built client library as a program of Deno or Bun does, through the transport that it is given, and prints what
// it saw.
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { createClient, fetchTransport, nodeTransport, undiciTransport } from '../../dist/index.js'

const [photo, transportName] = process.argv.slice(2)
const transports = { undici: undiciTransport, fetch: fetchTransport, node: nodeTransport }
const told = {}

const client = createClient({
  baseUrl: process.env.FH_BASE_URL,
  apiKey: process.env.FH_API_KEY,
  transport: transports[transportName](),
  pacing: false,
})

const bytes = await readFile(photo)
const fromPath = await client.upload(photo)
const fromBlob = await client.upload(new File([bytes], 'photo.jpg'))
const stream = () =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes.subarray(0, 1_000)))
      controller.enqueue(new Uint8Array(bytes.subarray(1_000)))
      controller.close()
    },
  })
const fromStream = await client.upload({ stream: stream(), name: 'photo.jpg', size: bytes.length })
const unsized = await client.upload({ stream: stream(), name: 'photo.jpg' })
told.sizes = [fromPath, fromBlob, fromStream, unsized].map(({ size }) => size)

told.listed = (await client.list()).total
told.shown = (await client.show(fromPath.slug)).slug === fromPath.slug
await client.delete(fromBlob.slug)
told.missing = await client.show(fromBlob.slug).catch(({ code }) => code)
told.stats = (await client.stats()).uploads
told.refused = await client.upload(`${photo}.none`).catch(({ code }) => code)

const parts = []
await client.download(fromPath.slug, new WritableStream({ write: (chunk) => void parts.push(chunk) }))
told.downloaded = Buffer.concat(parts).equals(bytes)

const controller = new AbortController()
const large = new Blob([bytes, new Uint8Array(20_000_000)])
const aborted = client.upload(large, {
  signal: controller.signal,
  onProgress: ({ sent }) => sent > 1_000_000 && controller.abort(),
})
told.aborted = await aborted.catch(({ name }) => name)
told.afterAbort = (await client.stats()).uploads
await client.close()

{
  // By default, and closed by the end of the block.
  await using second = createClient({ baseUrl: process.env.FH_BASE_URL, apiKey: process.env.FH_API_KEY })
  told.byDefault = (await second.upload(bytes)).size
}
process.stdout.write(`${JSON.stringify(told)}\n`)
