import { expect, test } from 'vitest'
import { describeService } from '../../../../emulator/openapi/document.ts'
import { endpoints } from '../../../../src/protocol/endpoints.ts'
import { emulated } from '../emulated.ts'

interface Described {
  readonly operationId: string
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
  expect(document.info['license']).toEqual({ name: 'MIT', identifier: 'MIT' })
})

test('the OpenAPI document of a listening emulator names its address as the server', async () => {
  const emulator = await emulated()
  expect(emulator.control.openapi().servers).toEqual([{ url: '{base_url}', variables: expect.anything() }])
  const { baseUrl } = await emulator.listen()
  expect(emulator.control.openapi().servers).toEqual([{ url: baseUrl }])
})
