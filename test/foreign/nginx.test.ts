import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { jpegBytes } from '../helpers/media.ts'
import { fileForm } from '../helpers/multipart-form.ts'
import { nginxProgram, startNginx } from '../helpers/nginx.ts'

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
    skip(nginxProgram === undefined, 'nginx is not installed: how answers pass through it is left out')
    const emulator = await createEmulator()
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen()
    const front = await startNginx(baseUrl)
    onTestFinished(() => front.close())
    emulator.control.faults.set([{ times: null, action: { type: 'early_response', status } }])
    const answers: Answer[] = []
    for (let round = 0; round < 24; round += 1) answers.push(await upload(front.baseUrl, emulator.apiKey))
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status))
  },
)
