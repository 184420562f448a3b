// Takes uploads and keeps nothing. Prints its port.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  let size = 0
  request.on('data', (chunk) => {
    size += chunk.length
  })
  request.on('end', () => {
    const url = 'http://127.0.0.1/a'
    const told = { slug: 'a', title: null, url, direct_url: url, thumb_url: null, mime_type: 'image/jpeg', size }
    const upload = { ...told, views: 0, likes: 0, created_at: new Date().toISOString().replace('Z', '+00:00') }
    response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ upload }))
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
