import { expect, test } from 'vitest'
import type { TransportResponse, Upload } from '../../src/index.ts'
import { committed, cut, fail, lost, respond } from '../helpers/faulty-transport.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes } from '../helpers/media.ts'

type Answers = Readonly<Record<string, () => TransportResponse>>

const page = '<html><title>Welcome</title></html>'
const json = 'application/json'

/** After these the other side would answer the next upload in the same way. */
const final: Answers = {
  'a 201 of another service': respond(201, '{"id":7}', json),
  'a 200 with {"ok":true}': respond(200, '{"ok":true}', json),
  'a 200 page': respond(200, page),
  'a 204': respond(204, ''),
  'a 302': () => ({ ...respond(302, '')(), headers: { location: 'https://portal.example/' } }),
  'a 403 page': respond(403, page),
  'a 405 without a body': respond(405, ''),
  'a 403 in other JSON': respond(403, '{"errors":[{"code":1020}]}', json),
}

/** As final as those; what the list shows is tried after fewer answers. */
const odd: Answers = {
  'a 200 with an error in it': respond(200, '{"error":"Try again."}', json),
  'a 201 whose slug is empty': respond(201, '{"upload":{"slug":""}}', json),
  'a 200 nested 600 deep': respond(200, `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`, json),
  'a 201 of more than 32 MB': respond(201, ' '.repeat(33 * 1_048_576), json),
}

const passing: Answers = {
  'a 503 page': respond(503, page),
  'a 503 of a gateway': respond(503, '{"message":"Service Unavailable"}', json),
  'a 504 page': respond(504, page),
}

const unreadable: Answers = {
  'a page': respond(200, page),
  'JSON cut short': respond(200, '{"current_page":1,"data":[', json),
  'an empty body': respond(200, '', json),
  'other JSON': respond(200, '{"items":[]}', json),
  'a redirect': () => ({ ...respond(302, '')(), headers: { location: 'https://portal.example/' } }),
  'a 403 page': respond(403, page),
  'a network failure': fail(cut),
}

const named = Object.entries
const posts = named({ ...final, ...passing })
const lists = named(unreadable)
const pairs = posts.flatMap(([post, answer]) => lists.map(([list, listed]) => ({ post, answer, list, listed })))
const always = (answer: () => TransportResponse) => Array.from({ length: 20 }, () => async () => answer())

test.each(pairs)('$post, and $list for the list: the outcome is unknown', async ({ answer, listed }) => {
  const faults = { POST: [undefined, committed(answer)], GET: always(listed) }
  const { client, stored, counts } = await inProcessClient({ faults })
  await client.upload(jpegBytes(99))
  const failed = client.upload(jpegBytes(100))
  await expect(failed).rejects.toMatchObject({ code: 'outcome-unknown', intent: { size: 100 } })
  expect(counts['POST']).toBe(2)
  expect(await stored()).toHaveLength(2)
})

test.each([...posts, ...named(odd)])('%s: an upload that the list shows is found', async (_, answer) => {
  const { client, stored, counts } = await inProcessClient({ faults: { POST: [committed(answer)] } })
  const { slug } = await client.upload(jpegBytes(100))
  expect(await stored()).toMatchObject([{ slug }])
  expect(counts).toEqual({ POST: 1, GET: 1, site: 1 })
})

test.each(named({ ...final, ...odd }))('%s: an upload that the list lacks fails, not sent again', async (_, answer) => {
  for (const source of [jpegBytes(100), new Blob([jpegBytes(100)]).stream()]) {
    const { client, stored, counts } = await inProcessClient({ faults: { POST: [lost(answer), lost(answer)] } })
    const code = /^(authentication-failed|access-denied|validation-failed|unexpected-response)$/
    await expect(client.upload(source)).rejects.toMatchObject({ code: expect.stringMatching(code) })
    expect(await stored()).toEqual([])
    expect(counts).toEqual({ POST: 1, GET: 2 })
  }
})

test.each(named(passing))('%s: an upload that the list does not show is sent again', async (_, answer) => {
  const { client, stored, counts } = await inProcessClient({ faults: { POST: [lost(answer)] } })
  const { slug } = await client.upload(jpegBytes(100))
  expect(await stored()).toMatchObject([{ slug }])
  expect(counts['POST']).toBe(2)
})

test('a success that comes before the last byte has left proves that nothing is stored', async () => {
  const early = async () => respond(200, page)()
  const { client, counts } = await inProcessClient({ faults: { POST: [early] } })
  await expect(client.upload(jpegBytes(100))).rejects.toMatchObject({ code: 'unexpected-response' })
  expect(counts).toEqual({ POST: 1 })
})

/** A client whose first upload is answered, and the second one with the same answer by a cache. */
async function answeredTwice(second: typeof committed) {
  let first: Upload | undefined
  const cached = () => {
    const { headers, ...answer } = respond(201, JSON.stringify({ upload: first }), json)()
    return { ...answer, headers: { ...headers, age: '5' } }
  }
  const rig = await inProcessClient({ faults: { POST: [undefined, second(cached)] } })
  first = await rig.client.upload(jpegBytes(99))
  return { ...rig, first }
}

test('a success that a cache had kept is none: the upload is found, or is not stored', async () => {
  const stored = await answeredTwice(committed)
  const { slug } = await stored.client.upload(jpegBytes(100))
  expect(await stored.stored()).toMatchObject([{ slug, size: 100 }, { slug: stored.first.slug }])
  const failed = await answeredTwice(lost)
  await expect(failed.client.upload(jpegBytes(100))).rejects.toMatchObject({ code: 'unexpected-response' })
  expect(await failed.stored()).toMatchObject([{ slug: failed.first.slug }])
})
