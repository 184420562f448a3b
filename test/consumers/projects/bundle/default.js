import { createClient } from 'filehost'

const { FH_BASE_URL: baseUrl, FH_API_KEY: apiKey, PHOTO } = process.env
const client = createClient({ baseUrl, apiKey })
client.upload(PHOTO).then((upload) => console.log(`${upload.mime_type} ${upload.size}`))
