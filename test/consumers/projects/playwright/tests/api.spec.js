import { expect, test } from '@playwright/test'

const service = `http://127.0.0.1:${process.env.EMULATOR_PORT}`

test('a page of another origin uploads a file, and the test sees it', async ({ page, request }) => {
  await page.goto(`http://127.0.0.1:${process.env.PAGE_PORT}/`)
  const status = await page.evaluate(async (address) => {
    const body = new FormData()
    body.append('file', new File(['GIF89a'], 'picture.gif'))
    const headers = { 'X-Api-Key': 'test-key' }
    return (await fetch(`${address}/api/upload`, { method: 'POST', headers, body })).status
  }, service)
  expect(status).toBe(201)
  expect((await (await request.get(`${service}/_emulator/health`)).json()).uploads).toBe(1)
})
