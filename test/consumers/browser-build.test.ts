import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { reportOfPage } from './helpers/chromium.ts'
import { consumerTest, print } from './helpers/consumer-test.ts'

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' }

consumerTest(
  'in Chromium, a page that Vite built with the library loads, and createClient says why it does not work',
  async ({ project, skip, signal }) => {
    const { folder, run } = await project('browser-build')
    await run('vite', 'build')
    const server = createServer(async ({ url = '/' }, response) => {
      const { pathname } = new URL(url, 'http://h')
      const file = pathname === '/' ? '/index.html' : pathname
      const content = await readFile(join(folder, 'dist', file)).catch(() => undefined)
      response.writeHead(content ? 200 : 404, { 'content-type': types[file.split('.').at(-1) ?? ''] ?? 'text/plain' })
      response.end(content)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const said = await reportOfPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, signal)
    server.close()
    if (said === undefined) skip('This machine has no Chromium')
    print(String(said))
    expect(said).toMatch(
      /^function\nnot-for-browsers\nfilehost does not run in browsers: .*\nCall filehost in your server/,
    )
  },
)
