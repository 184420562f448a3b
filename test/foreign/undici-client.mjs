// Does with undici what its users do, and prints what came back as one line of JSON.
import { readFile } from 'node:fs/promises'
import { FormData, request } from 'undici'

const [photo] = process.argv.slice(2)
const { FH_BASE_URL: baseUrl, FH_API_KEY: key } = process.env

async function call(path, options = {}) {
  const answer = await request(`${baseUrl}${path}`, { headers: { 'X-Api-Key': key }, ...options })
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.json() }
}

// The form of this undici and not of Node's own, as its users have it.
const form = new FormData()
form.append('file', new Blob([await readFile(photo)]), 'photo.jpg')
const uploaded = await call('/api/upload', { method: 'POST', body: form })
const { slug, size } = uploaded.body.upload
const listed = await call('/api/uploads')
const deleted = await call(`/api/uploads/${slug}`, { method: 'DELETE' })
const refused = await call('/api/stats')
process.stdout.write(
  JSON.stringify({
    upload: uploaded.status,
    size,
    list: listed.body.total,
    delete: deleted.status,
    refused: refused.status,
    retryAfter: refused.headers['retry-after'],
  }),
)
