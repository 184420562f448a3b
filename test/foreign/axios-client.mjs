// Does with axios what its users do, and prints what came back as one line of JSON.
import { readFile } from 'node:fs/promises'
import axios from 'axios'

const [photo] = process.argv.slice(2)
const { FH_BASE_URL: baseURL, FH_API_KEY: key } = process.env
const http = axios.create({ baseURL, headers: { 'X-Api-Key': key, Accept: 'application/json' } })

const form = new FormData()
form.append('file', new Blob([await readFile(photo)], { type: 'image/jpeg' }), 'photo.jpg')
const { upload } = (await http.postForm('/api/upload', form)).data
const listed = (await http.get('/api/uploads')).data.data
const shown = (await http.get(`/api/uploads/${upload.slug}`)).data.upload
const missing = await http.get('/api/uploads/none').catch((error) => error.response)
const unknown = await http.get('/api/stats', { headers: { 'X-Api-Key': 'wrong' } }).catch((error) => error.response)
process.stdout.write(
  JSON.stringify({ upload, listed, shown, missing: missing.status, unknown: [unknown.status, unknown.data] }),
)
