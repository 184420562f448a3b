import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { installedServer, startServer } from '../helpers/installed-server.ts'
import { jpegBytes } from '../helpers/media.ts'
import { fileForm } from '../helpers/multipart-form.ts'

const program = installedServer('nginx')

/** One process, its files in its own folder; it buffers requests, as in front of most services. */
function configuration(port: number, upstream: string): string {
  return `
    daemon off;
    master_process off;
    pid nginx.pid;
    events { worker_connections 1000; }
    http {
      access_log off;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`).join('\n')}
      client_max_body_size 1g;
      proxy_request_buffering on;
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${upstream};
          proxy_set_header Host $http_host;
        }
      }
    }
  `
}

/** Larger than the system's buffers, so that the service answers before the client has sent everything. */
const form = fileForm(jpegBytes(3 * 1_048_576))

interface Answer {
  readonly status: number | undefined
  readonly body: string
}

function upload(baseUrl: string, key: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...form.headers,
      'X-Api-Key': key,
      Accept: 'application/json',
      'Content-Length': form.body.length,
    }
    const sending = request(`${baseUrl}/api/upload`, { method: 'POST', headers, agent: false }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject)
    })
    sending.on('error', reject)
    sending.end(form.body)
  })
}

test.for([401, 403, 413, 429, 503])(
  'behind nginx, an upload answered %d before its body is read never becomes a 502',
  async (status, { skip }) => {
    if (program === undefined) return skip('left out: this machine has no nginx')
    const emulator = await createEmulator()
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen()
    const front = await startServer({
      program,
      args: (folder) => ['-p', folder, '-c', `${folder}/server.conf`, '-e', 'stderr'],
      configuration: (port) => configuration(port, baseUrl),
    })
    emulator.control.faults.set([{ times: null, action: { type: 'early_response', status } }])
    const answers: Answer[] = []
    for (let round = 0; round < 24; round += 1) answers.push(await upload(front, emulator.apiKey))
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status))
  },
)
