import { createServer } from 'node:http'
import { expect } from 'vitest'
import { createEmulator, type FaultAction } from '../../emulator/index.ts'
import { listening } from '../helpers/listening.ts'
import { noBrowser, browserTest as test } from './harness/browser-test.ts'

const actions: readonly (readonly [FaultAction, readonly number[]])[] = [
  [{ type: 'commit_then_drop' }, [201]],
  [{ type: 'reset_before' }, [499]],
  [{ type: 'reset_after_body_bytes', bytes: 20 }, [499]],
]
const rows = actions.flatMap(([action, statuses]) =>
  ['another origin', 'the emulator'].map((from) => ({ action, statuses, from, type: action.type })),
)

test.for(rows)(
  'an upload that $type strikes fails in a page of $from that has kept connections, and is not repeated',
  async ({ action, statuses, from }, { browser, skip, onTestFinished }) => {
    if (browser === null) return skip(noBrowser)
    const emulator = await createEmulator({ apiKey: 'test-key', quotas: 'none' })
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen()
    const port = await listening(
      createServer((_, response) => response.setHeader('content-type', 'text/html').end('A page')),
    )
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(from === 'the emulator' ? `${baseUrl}/login` : `http://127.0.0.1:${port}/`)
    const headers = "headers: { 'X-Api-Key': 'test-key' }"
    const list = `fetch('${baseUrl}/api/uploads', { ${headers} }).then((answer) => answer.text())`
    const upload = `(async () => {
      const body = new FormData()
      body.append('file', new File(['GIF89a'], 'picture.gif'))
      return fetch('${baseUrl}/api/upload', { method: 'POST', ${headers}, body }).then(
        (answer) => answer.status,
        (error) => error.name,
      )
    })()`
    await page.evaluate(`Promise.all([${list}, ${list}, ${list}, ${list}])`)
    const { account_id, path } = { account_id: 1, path: '/api/upload' }
    emulator.control.faults.add({ match: { account_id, path, method: 'POST' }, action })
    expect(await page.evaluate(upload)).toBe('TypeError')
    const posts = () => emulator.control.requests.list({ method: 'POST' }).requests
    expect(posts().map(({ status }) => status)).toEqual(statuses)
    expect(await page.evaluate(upload)).toBe(201)
    expect(posts().map(({ status }) => status)).toEqual([...statuses, 201])
  },
)
