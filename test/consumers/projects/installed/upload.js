import { createClient, fetchTransport } from 'filehost'
import { createEmulator } from 'filehost/emulator'

const emulator = await createEmulator({ clock: 'virtual' })
const transport = fetchTransport(emulator.fetch)
const client = createClient({ baseUrl: 'https://files.example', apiKey: emulator.apiKey, transport })
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const upload = await client.upload(png)
process.stdout.write(`${upload.mime_type} ${upload.size}\n`)
await client.close()
await emulator.close()
