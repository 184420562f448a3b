import { createClient, undiciTransport } from 'filehost'

const { FH_BASE_URL: baseUrl, FH_API_KEY: apiKey, PHOTO } = process.env
const client = createClient({ baseUrl, apiKey, transport: undiciTransport() })
client.upload(PHOTO).then(async (upload) => {
  console.log(`${upload.mime_type} ${upload.size}`)
  await client.close()
})
