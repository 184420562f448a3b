import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { describeService } from '../../../../emulator/openapi/document.ts'
import { endpoints } from '../../../../src/protocol/endpoints.ts'
import { emulated } from '../emulated.ts'

test('the OpenAPI document has the five calls and no others', () => {
  const { openapi, paths } = describeService()
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(openapi).toBe('3.1.0')
  expect(calls.sort()).toEqual(
    Object.values(endpoints)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  )
})

test('every reference in the OpenAPI document resolves', () => {
  const text = JSON.stringify(describeService())
  const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) expect(describeService().components.schemas).toHaveProperty(String(name))
})

test('the OpenAPI document of a listening emulator names its address as the server', async () => {
  const emulator = await emulated()
  expect(emulator.control.openapi().servers).toEqual([{ url: '{base_url}', variables: expect.anything() }])
  const { baseUrl } = await emulator.listen()
  expect(emulator.control.openapi().servers).toEqual([{ url: baseUrl }])
})

interface Described {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Example>> }>>
}
interface Example {
  readonly example: unknown
}

const operationsOf = ({ paths }: ReturnType<typeof describeService>) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, Described>>).map(([method, described]) => ({
      at: ['paths', path, method],
      described,
    })),
  )

test('the calls of the OpenAPI document have names that generated clients take over', () => {
  const document = describeService()
  const names = operationsOf(document).map(({ described }) => described.operationId)
  expect(names.sort()).toEqual(['deleteUpload', 'getStats', 'getUpload', 'listUploads', 'uploadFile'])
  const tags = document.tags.map(({ name }) => name)
  for (const { described } of operationsOf(document)) expect(tags).toEqual(expect.arrayContaining([...described.tags]))
  expect(document.info['license']).toEqual({ name: 'MIT', identifier: 'MIT' })
})

test('every answer of the OpenAPI document has an example that its schema accepts', () => {
  const document = describeService()
  const formats = { uri: true, 'date-time': true, binary: true } as const
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats }).addSchema(document as AnySchema, 'service')
  const answers = operationsOf(document).flatMap(({ at, described }) =>
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

test('every schema, field, parameter and header of the OpenAPI document says what it is', () => {
  const undescribed: string[] = []
  const visit = (at: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, part] of Object.entries(value)) {
      const isDescribed = 'description' in Object(part) || '$ref' in Object(part)
      // What a body must not have needs no words.
      if (name === 'not') continue
      if (/\/(schemas|properties|headers|securitySchemes)$/.test(at) && !isDescribed) undescribed.push(`${at}/${name}`)
      visit(`${at}/${name}`, part)
    }
  }
  visit('', describeService())
  expect(undescribed).toEqual([])
})
