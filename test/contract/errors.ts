import { expect } from 'vitest'
import { multipartForm } from '../helpers/multipart-form.ts'
import type { Clauses } from './clauses.ts'
import { call } from './media.ts'
import { type ContractTarget, isOwn, keyOf } from './targets.ts'

/** Spec 7: errors. */
export function errorClauses(target: ContractTarget, { clause, fact }: Clauses): void {
  clause('spec 1: a client that accepts only HTML gets errors as JSON too', async () => {
    const headers = { Accept: 'text/html', 'X-Api-Key': 'wrong' }
    const answer = await target.send('GET', '/api/stats', { headers })
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/)
  })

  const named = expect.stringMatching(/^No query results for model \[[^\]]+\]\.$/)
  const message = isOwn(target) ? 'No query results for model [App\\Models\\Upload].' : named

  fact('spec 7.2, silence 76: a 404 has a message that names the model, and no error', [404, { message }], async () => {
    const answer = await call(target, 'GET', '/api/uploads/noSuchSlug0')
    return [answer.status, answer.json]
  })

  clause('spec 1, 7.2, silence 81: a client that asks for Romanian gets messages in English', async () => {
    const form = multipartForm({ name: 'other', content: 'text' })
    const headers = { ...keyOf(target), ...form.headers, 'Accept-Language': 'ro-RO,ro;q=0.9' }
    const answer = await target.send('POST', '/api/upload', { headers, body: form.body })
    expect(answer.json.message).toBe('The file field is required.')
    const refused = await target.send('GET', '/api/stats', { headers: { 'Accept-Language': 'ro' } })
    expect(refused.json.error).toBe('Invalid API key.')
  })
}
