import { expect } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

consumerTest.for(['2.6.0', '2', '3'])('MSW %s intercepts what docs/testing.md says', async (version, { project }) => {
  const { run } = await project('msw', { install: [`msw@${version}`] })
  const { stdout } = await run('vitest', 'run')
  expect(stdout).toMatch(/Tests +2 passed/)
})
