import { createClient, FileHostError } from 'filehost'

const said = [typeof FileHostError]
try {
  createClient({ baseUrl: 'https://files.example', apiKey: 'key' })
} catch (error) {
  said.push(error.code, error.message, error.hint)
}
await fetch(new URLSearchParams(location.search).get('report'), { method: 'POST', body: said.join('\n') })
