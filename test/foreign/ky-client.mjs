// Does with ky what its users do, and prints what came back as one line of JSON.
import { readFile } from 'node:fs/promises'
import ky from 'ky'

const [photo] = process.argv.slice(2)
const { FH_BASE_URL: prefix, FH_API_KEY: key } = process.env
const http = ky.create({ prefix, headers: { 'X-Api-Key': key }, retry: { limit: 1, methods: ['post'] } })

const form = new FormData()
form.append('file', new Blob([await readFile(photo)], { type: 'image/jpeg' }), 'photo.jpg')
const { upload } = await http.post('api/upload', { body: form }).json()
const shown = await http.get(`api/uploads/${upload.slug}`).json()
process.stdout.write(JSON.stringify({ upload, shown: shown.upload }))
