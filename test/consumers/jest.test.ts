import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { codeOf } from '../helpers/testing-page.ts'
import { consumerTest, print } from './helpers/consumer-test.ts'

const env = { NODE_OPTIONS: '--experimental-vm-modules' }

consumerTest('Jest passes the examples of docs/testing.md, from ES modules and from CommonJS', async ({ project }) => {
  const { folder, run } = await project('jest', { env })
  await writeFile(join(folder, 'modules.test.js'), codeOf('Jest', 'js'))
  await writeFile(join(folder, 'commonjs.test.cjs'), codeOf('Jest from CommonJS', 'js'))
  const { stderr } = await run('jest')
  print(stderr)
  expect(stderr).toMatch(/Tests: +2 passed, 2 total/)
})

consumerTest('Jest with jsdom uploads from a page and by a client, with and without a fetch', async ({ project }) => {
  const { folder, run } = await project('jest-jsdom', { env })
  await writeFile(join(folder, 'example.test.js'), codeOf('Jest with jsdom', 'js'))
  const { stderr } = await run('jest')
  print(stderr)
  expect(stderr).toMatch(/Tests: +4 passed, 4 total/)
})

consumerTest.for(['ts-jest', 'ts-jest from CommonJS'])(
  'Jest passes the example of docs/testing.md for %s',
  async (section, { project }) => {
    const { folder, run } = await project('ts-jest', { env })
    await writeFile(join(folder, 'jest.config.json'), codeOf(section, 'json'))
    await writeFile(join(folder, 'example.test.ts'), codeOf(section, 'ts'))
    const { stderr } = await run('jest')
    print(stderr)
    expect(stderr).toMatch(/Tests: +1 passed, 1 total/)
  },
)
