import { createEmulator } from 'filehost/emulator'
import { client } from './generated/client.gen'
import { deleteUpload, getStats, getUpload, listUploads, uploadFile } from './generated/sdk.gen'

await using emulator = await createEmulator({ apiKey: 'k', quotas: 'none', settings: { title: 'filename' } })
client.setConfig({ baseUrl: 'http://files.example', auth: 'k', fetch: emulator.fetch })

const file = new File([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2)], 'photo.jpg', { type: 'image/jpeg' })
const { data: uploaded } = await uploadFile({ body: { file } })
const slug = uploaded?.upload.slug ?? ''
const { data: shown } = await getUpload({ path: { slug } })
const { data: page } = await listUploads({ query: { page: 1 } })
const { data: gone } = await deleteUpload({ path: { slug } })
const { error } = await getUpload({ path: { slug } })
const { data: stats } = await getStats()
const seen = [shown?.upload.title, shown?.upload.size, page?.total, gone?.deleted, error !== undefined, stats?.uploads]
process.stdout.write(`${seen.join(' ')}\n`)
