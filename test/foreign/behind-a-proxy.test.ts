import { type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { controlRoutes } from '../../emulator/control/http/routes.ts'
import { installedServer, startServer } from '../helpers/installed-server.ts'
import { jpegBytes } from '../helpers/media.ts'
import { fileForm } from '../helpers/multipart-form.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'
import { codeOf } from '../helpers/testing-page.ts'

/** The configuration that the document gives, with the emulator's own address. */
const documented = (language: string, upstream: string) =>
  codeOf(undefined, language, 'emulator.md').replaceAll('127.0.0.1:4884', new URL(upstream).host)

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`)

/** A server for each way to pass requests on, chosen by its name. */
function nginxConfiguration(port: number, upstream: string): string {
  const pass = `proxy_pass ${upstream};`
  const ways = {
    'files.example': documented('nginx', upstream),
    'plain.example': `location / { ${pass} }`,
    'host.example': `location / { ${pass} proxy_http_version 1.1; proxy_set_header Host $http_host; }`,
    'real-ip.example': `location / { ${pass} proxy_http_version 1.1; proxy_set_header X-Real-IP $remote_addr; }`,
  }
  const servers = Object.entries(ways).map(
    ([name, lines]) => `server { listen 127.0.0.1:${port}; server_name ${name}; ${lines} }`,
  )
  return `daemon off; master_process off; pid nginx.pid; events { worker_connections 1000; }
    http { access_log off; ${temporary.join(' ')} ${servers.join('\n')} }`
}

const fronts = [
  {
    name: 'nginx',
    program: installedServer('nginx'),
    args: (folder: string) => ['-p', folder, '-c', `${folder}/server.conf`, '-e', 'stderr'],
    configuration: nginxConfiguration,
    hosts: ['files.example', 'plain.example', 'host.example', 'real-ip.example'],
  },
  {
    name: 'caddy',
    program: installedServer('caddy', 'version'),
    args: (folder: string) => ['run', '--adapter', 'caddyfile', '--config', `${folder}/server.conf`],
    configuration: (port: number, upstream: string) =>
      `{\nadmin off\nauto_https off\n}\n${documented('caddyfile', upstream).replace('files.example', `http://files.example:${port}`)}`,
    hosts: ['files.example'],
  },
]

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

const token = { Authorization: 'Bearer open-sesame' }

/** Every call of the control API, and the addresses of the dashboard. */
const guarded = [
  ...controlRoutes.map(({ method, path }) => ({ method, path: `/_emulator${path.replace(/\{\w+\}/, '1')}` })),
  ...['', '/', '/sign-out'].map((part) => ({ method: 'GET', path: `/_emulator/ui${part}` })),
  ...['', '/requests/clear'].map((part) => ({ method: 'POST', path: `/_emulator/ui${part}` })),
]

describe.each(fronts)('behind $name', ({ name, program, args, configuration, hosts }) => {
  async function started(skip: (note: string) => never) {
    if (program === undefined) return skip(`left out: this machine has no ${name}`)
    const siteUrl = ['--site-url', 'http://files.example']
    const { baseUrl } = await runningEmulator(...siteUrl, '--control-token', 'open-sesame')
    const front = await startServer({ program, args, configuration: (port) => configuration(port, baseUrl) })
    const { hostname, port } = new URL(front)
    const send = (host: string, { method = 'GET', path, headers = {}, body }: Sent) =>
      new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
        const named = { Host: name === 'caddy' ? `${host}:${port}` : host, ...headers }
        const sent = request({ hostname, port, method, path, headers: named, agent: false }, (answer) => {
          text(answer).then((read) => resolve({ status: answer.statusCode, body: read }), reject)
        })
        sent.on('error', reject).end(body)
      })
    return { baseUrl, send }
  }

  test('every address under /_emulator needs the token, however requests are passed on', async ({ skip }) => {
    const { baseUrl, send } = await started(skip)
    for (const host of hosts) {
      const open: string[] = []
      for (const call of guarded) {
        const { status } = await send(host, call)
        if (status !== 401 && status !== 403) open.push(`${call.method} ${call.path}: ${status}`)
      }
      expect([host, ...open]).toEqual([host])
      const { status, body } = await send(host, { path: '/_emulator/connection', headers: token })
      expect([host, status, JSON.parse(body).api_key]).toEqual([host, 200, 'k'])
    }
    expect((await fetch(`${baseUrl}/_emulator/health`)).status).toBe(200)
  })

  test('the service and the website are open, and the password that everyone knows signs nobody in', async ({
    skip,
  }) => {
    const { send } = await started(skip)
    for (const host of hosts) {
      const stats = await send(host, { path: '/api/stats', headers: { 'X-Api-Key': 'k' } })
      const body = new URLSearchParams({ email: 'user@example.com', password: 'password' }).toString()
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' }
      const signIn = await send(host, { method: 'POST', path: '/login', headers, body })
      const site = await send(host, { path: '/' })
      expect([host, stats.status, site.status, signIn.status]).toEqual([host, 200, 200, 403])
    }
  })

  test.for([401, 403, 413, 429, 503])(
    'an upload that is answered %d before its body is read never becomes a 502',
    async (status, { skip }) => {
      const { baseUrl, send } = await started(skip)
      const faults = [{ times: null, action: { type: 'early_response', status } }]
      await fetch(`${baseUrl}/_emulator/faults`, { method: 'PUT', headers: token, body: JSON.stringify(faults) })
      // Larger than the system's buffers, so that the service answers before the client has sent everything.
      const { headers: form, body } = fileForm(jpegBytes(3 * 1_048_576))
      const headers = { ...form, 'X-Api-Key': 'k', 'Content-Length': body.length }
      const upload = { method: 'POST', path: '/api/upload', headers, body }
      const answers: (number | undefined)[] = []
      for (let round = 0; round < 24; round += 1) answers.push((await send('files.example', upload)).status)
      expect(answers).toEqual(answers.map(() => status))
    },
  )
})
