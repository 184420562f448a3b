// Uploads a file: the shortest program of node:http with two buffers. node upload.cjs FILE BASE_URL KEY [unhashed]
const { createHash } = require('node:crypto')
const { fstatSync, openSync, readSync } = require('node:fs')
const { request } = require('node:http')

const [path, base, key, unhashed] = process.argv.slice(2)
const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
const tail = '\r\n--b--\r\n'
const file = openSync(path)
const { size } = fstatSync(file)
const hash = unhashed ? undefined : createHash('sha256')
const headers = {
  'X-Api-Key': key,
  'Content-Type': 'multipart/form-data; boundary=b',
  'Content-Length': head.length + size + tail.length,
}
const message = request(`${base}/api/upload`, { method: 'POST', headers }, (answer) => {
  if (answer.statusCode !== 201) process.exitCode = 1
  answer.resume()
})
message.write(head)
let at = 0
send(Buffer.allocUnsafe(1_048_576))
send(Buffer.allocUnsafe(1_048_576))

function send(buffer) {
  if (message.writableEnded) return
  if (at === size) {
    hash?.digest('hex')
    message.end(tail)
    return
  }
  const chunk = buffer.subarray(0, readSync(file, buffer))
  at += chunk.length
  hash?.update(chunk)
  message.write(chunk, () => send(buffer))
}
