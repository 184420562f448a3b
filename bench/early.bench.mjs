// How often an early answer is lost: of the uploads that are refused before their body was read, how many end without the
// answer. Compares each transport with curl, against the emulator, nginx in front of it (if installed), and a bare socket
// that answers and resets the connection at once.
// npm run bench -- early [--count=200]

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fetchTransport, nodeTransport, undiciTransport } from '../dist/index.js'
import { freePort } from './free-port.mjs'

const fh = new URL('../bin/fh.js', import.meta.url).pathname
/** Bytes of a body; a large one is still on its way when the answer comes. */
const sizes = { '100 KB': 100_000, '3 MB': 3_000_000 }
/** Uploads at the same time, enough to keep all processes busy. */
const together = 8
/** A later answer counts as lost. */
const patienceMs = 20_000

export async function run() {
  const option = process.argv.find((text) => text.startsWith('--count='))
  const count = Number(option?.slice('--count='.length) ?? 200)
  const folder = await mkdtemp(join(tmpdir(), 'fh-early-'))
  const emulator = await startEmulator()
  const closing = [() => emulator.child.kill()]
  try {
    const servers = [{ name: 'emulator', url: emulator.url }]
    const nginx = await startNginx(folder, emulator.url)
    if (nginx) {
      closing.unshift(() => nginx.child.kill())
      servers.push({ name: 'nginx in front of it', url: nginx.url })
    } else {
      console.log('nginx is not installed: left out')
    }
    const raw = await startRaw()
    closing.unshift(() => raw.child.kill())
    servers.push({ name: 'raw socket, reset at once', url: raw.url })
    console.table(await table(servers, emulator.key, folder, count))
  } finally {
    for (const close of closing) close()
    await rm(folder, { recursive: true })
  }
}

/** Lost answers per thousand uploads. */
async function table(servers, key, folder, count) {
  const senders = {
    node: overTransport(nodeTransport({ idleTimeoutMs: patienceMs })),
    undici: overTransport(undiciTransport({ idleTimeoutMs: patienceMs, proxy: false })),
    fetch: overTransport(fetchTransport(fetch, { idleTimeoutMs: patienceMs })),
  }
  if (spawnSync('curl', ['--version']).status === 0) senders.curl = overCurl(folder)
  else console.log('curl is not installed: left out')
  const rows = []
  for (const server of servers) {
    for (const [size, bytes] of Object.entries(sizes)) {
      const row = { server: server.name, body: size, uploads: count }
      for (const [name, send] of Object.entries(senders)) {
        row[`${name}: lost of 1,000`] = Math.round((1_000 * (await lost(send, server.url, key, bytes, count))) / count)
      }
      rows.push(row)
    }
  }
  return rows
}

async function lost(send, url, key, bytes, count) {
  let left = count
  let losses = 0
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const status = await send(url, key, bytes).catch(() => undefined)
      if (status !== 429) losses += 1
    }
  }
  await Promise.all(Array.from({ length: together }, worker))
  return losses
}

const boundary = 'early'
const frame = (text) => Buffer.from(text.replaceAll('\n', '\r\n'))
const head = frame(`--${boundary}
Content-Disposition: form-data; name="file"; filename="a.jpg"
Content-Type: image/jpeg

\xff\xd8\xff\xe0`)
const tail = frame(`
--${boundary}--
`)

function overTransport(transport) {
  return async (url, key, bytes) => {
    const body = {
      contentType: `multipart/form-data; boundary=${boundary}`,
      length: head.length + bytes + tail.length,
      async *chunks() {
        yield head
        for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536))
        yield tail
      },
    }
    const response = await transport.send({ method: 'POST', url, headers: { 'X-Api-Key': key }, body })
    for await (const _ of response.body);
    return response.status
  }
}

function overCurl(folder) {
  return async (url, key, bytes) => {
    const path = join(folder, `${bytes}.jpg`)
    await writeFile(path, Buffer.alloc(bytes), { flag: 'wx' }).catch(() => {})
    const flags = ['-s', '-o', '/dev/null', '-w', '%{http_code}\n', '--max-time', String(patienceMs / 1_000)]
    const child = spawn('curl', [...flags, '-H', `X-Api-Key: ${key}`, '-F', `file=@${path}`, url])
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    await once(child, 'close')
    return Number(text)
  }
}

/** An emulator whose quota stays used up during the benchmark. */
async function startEmulator() {
  const flags = [
    '--port',
    '0',
    '--quota',
    'burst=none,minute=none,hour=5,day=none',
    '--json',
    '--set',
    'soft_delay=off',
  ]
  const child = spawn(process.execPath, [fh, 'emulate', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { base_url, api_key } = JSON.parse(line)
  return { child, url: `${base_url}/api/upload`, key: api_key }
}

async function startNginx(folder, upload) {
  const port = await freePort()
  // Started by root, nginx runs its workers as another user.
  await chmod(folder, 0o711)
  const config = join(folder, 'nginx.conf')
  await writeFile(
    config,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
http {
  access_log off; client_max_body_size 0;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${new URL(upload).origin}; } }
}`,
  )
  const child = spawn('nginx', ['-e', `${folder}/error.log`, '-c', config], { stdio: 'ignore' })
  const started = await Promise.race([once(child, 'spawn'), once(child, 'error').then(() => undefined)])
  if (!started) return undefined
  const url = `http://127.0.0.1:${port}/api/upload`
  // nginx needs a moment before it listens.
  for (let tries = 0; tries < 100; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return { child, url }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('nginx does not answer')
}

/** Answers the first bytes and resets the connection with the rest unread; a process of its own, to be fast. */
const rawServer = `
const answer = 'HTTP/1.1 429 Too Many Requests\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\n\\r\\n{}'
require('node:net').createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', () => {
    socket.pause()
    socket.write(answer, () => socket.resetAndDestroy())
  })
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port)
})`

async function startRaw() {
  const child = spawn(process.execPath, ['-e', rawServer], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(createInterface(child.stdout), 'line')
  return { child, url: `http://127.0.0.1:${port}/api/upload` }
}
