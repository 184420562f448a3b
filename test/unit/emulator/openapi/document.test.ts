import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { describeService } from '../../../../emulator/openapi/document.ts'
import { endpoints } from '../../../../src/protocol/endpoints.ts'
import { emulated } from '../emulated.ts'

interface Described {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { example: unknown }>> }>>
}

const document = describeService()
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Readonly<Record<string, Described>>).map(([method, described]) => ({
    at: ['paths', path, method],
    described,
  })),
)

test('the OpenAPI document has the five calls and no others, with names that generated clients take over', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(operations.map(({ at: [, path, method = ''] }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    Object.values(endpoints)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  )
  const names = operations.map(({ described }) => described.operationId)
  expect(names.sort()).toEqual(['deleteUpload', 'getStats', 'getUpload', 'listUploads', 'uploadFile'])
  const tags = document.tags.map(({ name }) => name)
  for (const { described } of operations) expect(tags).toEqual(expect.arrayContaining([...described.tags]))
  expect(document.info['license']).toEqual({ name: 'MIT', identifier: 'MIT' })
})

test('the OpenAPI document of a listening emulator names its address as the server', async () => {
  const emulator = await emulated()
  expect(emulator.control.openapi().servers).toEqual([{ url: '{base_url}', variables: expect.anything() }])
  const { baseUrl } = await emulator.listen()
  expect(emulator.control.openapi().servers).toEqual([{ url: baseUrl }])
})

test('every answer of the OpenAPI document has an example that its schema accepts', () => {
  const formats = { uri: true, 'date-time': true, binary: true } as const
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats }).addSchema(document as AnySchema, 'service')
  const answers = operations.flatMap(({ at, described }) =>
    Object.entries(described.responses).map(([status, { content }]) => ({
      at: [...at, 'responses', status, 'content', 'application/json', 'schema'],
      example: content['application/json']?.example,
    })),
  )
  expect(answers.length).toBeGreaterThan(25)
  for (const { at, example } of answers) {
    const pointer = at.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/')
    const validate = ajv.getSchema(`service#/${pointer}`)
    expect([at, validate?.(example), validate?.errors]).toEqual([at, true, null])
  }
})
