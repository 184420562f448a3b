import { expect, test } from 'vitest'
import { actionWords, ordinal, strikeWords } from '../../../../emulator/dashboard/faults/fault-words.ts'
import { faultTypes } from '../../../../emulator/faults/fault.ts'
import { emulated, send } from '../emulated.ts'
import { landed, page, problemBeside, section, sendForm } from './looking.ts'

const types = Object.keys(faultTypes)

test('every type can be chosen, and says what a client sees', async () => {
  const text = section(await page(await emulated()), 'faults')
  const options = [...text.matchAll(/<option value="(\w+)"[^>]*>([^<]+)/g)].map(([, type, words]) => [type, words])
  expect(options.map(([type]) => type)).toEqual(types)
  expect(options.every(([type, words]) => words?.startsWith(`${type}: `))).toBe(true)
})

test.each(types)('the form for %s has the fields of this type and of the match, and no others', async (type) => {
  const text = section(await page(await emulated(), `?arm=${type}`), 'faults')
  const names = [...text.matchAll(/id="faults-arm-(\w+)"/g)].map(([, name]) => name)
  const parameters = Object.keys(faultTypes[type as 'status'].parameters)
  expect(names).toEqual([...parameters, 'method', 'path', 'account_id', 'nth', 'times'])
})

test('a fault is armed by a form without a script, and the section says what it strikes', async () => {
  const emulator = await emulated()
  const fields = {
    type: 'status',
    status: '503',
    body: '{"error":"busy"}',
    headers: 'Retry-After: 5\r\n\r\nX-Two: a: b',
    method: 'POST',
    path: '/api/upload',
    account_id: '1',
    nth: '2',
    times: '3',
  }
  const answer = await sendForm(emulator, 'faults/arm?arm=status&arm_path=/x&method=GET', fields)
  expect(answer.headers.get('location')).toMatch(/^\/_emulator\/ui\?method=GET&notice=[\w-]+#faults$/)
  expect(emulator.control.faults.list()).toMatchObject([
    {
      match: { method: 'POST', path: '/api/upload', account_id: 1, nth: 2 },
      times: 3,
      action: {
        type: 'status',
        status: 503,
        body: { error: 'busy' },
        headers: { 'Retry-After': '5', 'X-Two': 'a: b' },
      },
    },
  ])
  const text = section(await landed(emulator, answer), 'faults')
  expect(text).toContain('strikes the 2nd to 4th POST /api/upload of account 1, 3 of 3 left')
  expect(text).toContain('It has struck nothing yet.')
})

test('a fault that has struck leads to the requests it struck', async () => {
  const emulator = await emulated()
  await sendForm(emulator, 'faults/arm', { type: 'status', status: '500', times: '1' })
  await send(emulator, 'GET', '/api/stats')
  const text = section(await page(emulator, '?method=POST&status=4xx'), 'faults')
  expect(text).toContain('strikes the 1st API request, 0 of 1 left')
  expect(text).toContain('<a href="?fault=1#requests">Struck 1</a>')
})

test('an empty number of times means every time', async () => {
  const emulator = await emulated()
  await sendForm(emulator, 'faults/arm', { type: 'malformed_json', times: '' })
  expect(emulator.control.faults.list()).toMatchObject([{ times: null }])
  expect(section(await page(emulator), 'faults')).toContain('strikes every API request.')
})

test.each([
  [{ type: 'status', status: '700' }, 'status', 'takes a whole number from 200 to 599, but got 700'],
  [{ type: 'status', status: '' }, 'status', 'The type status needs the parameter status'],
  [{ type: 'status', status: 'four' }, 'status', 'but got &quot;four&quot;'],
  [{ type: 'delay', ms: '1e3' }, 'ms', 'takes milliseconds from 0 to 86400000'],
  [{ type: 'slow_body', ms: '1', bytes: '0' }, 'bytes', 'takes a whole number from 1 up, but got 0'],
  [{ type: 'wrong_content_length', bytes: '0' }, 'bytes', 'takes a whole number other than 0'],
  [{ type: 'delay', ms: '1', path: 'api' }, 'path', 'takes a path that begins with / or *'],
  [{ type: 'delay', ms: '1', nth: '0' }, 'nth', 'takes a whole number from 1 up'],
  [{ type: 'delay', ms: '1', times: '-1' }, 'times', 'or null for every time'],
  [{ type: 'delay', ms: '1', account_id: '<b>' }, 'account_id', '&lt;b&gt;'],
  [{ type: 'status', status: '500', headers: 'no colon' }, 'headers', 'takes lines of'],
  [{ type: 'status', status: '500', headers: 'Content-Length: 5' }, 'headers', 'Content-Length'],
  [{ type: 'status', status: '500', body: '['.repeat(5_000) }, 'body', 'JSON of at most 100 levels'],
])('a form with %j is refused beside its field, and what was entered stays', async (fields, field, problem) => {
  const emulator = await emulated()
  const answer = await sendForm(emulator, 'faults/arm', { nth: '7', ...fields } as Record<string, string>)
  const html = await answer.text()
  expect(answer.status).toBe(422)
  expect(problemBeside(html, `faults-arm-${field}`)).toContain(problem)
  expect(section(html, 'faults')).toContain(`<option value="${fields.type}" selected>`)
  expect(html).toContain(`name="nth" type="text" value="${field === 'nth' ? 0 : 7}"`)
  expect(emulator.control.faults.list()).toEqual([])
})

test.each([
  [{ type: 'malformed_json', path: '/i/*' }, 'pages and files of the website have none'],
  [{ type: 'nothing', ms: '1' }, 'Choose a type of fault'],
  [{}, 'Choose a type of fault'],
])('a form with %j is refused in words', async (fields, problem) => {
  const emulator = await emulated()
  const answer = await sendForm(emulator, 'faults/arm', fields as Record<string, string>)
  expect([answer.status, section(await answer.text(), 'faults')]).toEqual([422, expect.stringContaining(problem)])
})

test('the page’s address fills in the form', async () => {
  const query = '?arm=delay&arm_ms=250&arm_method=POST&arm_path=/api/upload&arm_account_id=3&method=GET'
  const text = section(await page(await emulated(), query), 'faults')
  for (const part of ['name="ms" type="text" value="250"', 'value="POST"', 'value="/api/upload"', 'value="3"']) {
    expect(text).toContain(part)
  }
})

test('one fault, or all, can be removed; one that is gone already is said to be', async () => {
  const emulator = await emulated()
  for (let count = 0; count < 3; count += 1) await sendForm(emulator, 'faults/arm', { type: 'malformed_json' })
  await sendForm(emulator, 'faults/remove', { id: '2' })
  expect(emulator.control.faults.list().map(({ id }) => id)).toEqual([1, 3])
  const again = await sendForm(emulator, 'faults/remove', { id: '2' })
  expect([again.status, section(await again.text(), 'faults')]).toEqual([422, expect.stringContaining('no fault 2')])
  await sendForm(emulator, 'faults/remove-all')
  expect(emulator.control.faults.list()).toEqual([])
})

test('markup in a fault is text', async () => {
  const emulator = await emulated()
  const evil = '</pre><script>alert(1)</script>'
  emulator.control.faults.add({
    match: { method: evil, path: `/${evil}` },
    action: { type: 'status', status: 500, body: evil, headers: { 'X-A': evil } },
  })
  const html = await page(emulator, `?arm=${encodeURIComponent(evil)}&arm_body=${encodeURIComponent(evil)}`)
  expect(html).not.toContain('<script>')
  expect(section(html, 'faults')).toContain('&lt;script&gt;')
})

test('words of faults', () => {
  const armed = { id: 1, seen: 0, struck: 1, match: {}, times: 1, action: { type: 'delay', ms: 5 } } as const
  expect(strikeWords({ ...armed, times: 2 })).toBe('strikes the 1st to 2nd API request, 1 of 2 left')
  expect(strikeWords({ ...armed, match: { method: 'post', nth: 3 }, times: null })).toBe(
    'strikes every POST API request from the 3rd on',
  )
  expect(actionWords({ type: 'slow_body', ms: 5, bytes: 2 })).toBe('slow_body: ms 5, bytes 2')
  expect(actionWords({ type: 'status', status: 500, body: 'x'.repeat(100) })).toMatch(/body "x{59}…$/)
  expect([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).join(' ')).toBe('1st 2nd 3rd 4th 11th 12th 13th 21st 112th')
})
