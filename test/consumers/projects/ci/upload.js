import { createClient } from 'filehost'

const { FH_BASE_URL: baseUrl, FH_API_KEY: apiKey } = process.env
const client = createClient({ baseUrl, apiKey })
const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')
console.log((await client.upload(gif)).mime_type)
await client.close()
