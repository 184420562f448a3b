import { expect } from 'vitest'
import { consumerTest, print } from './helpers/consumer-test.ts'

consumerTest.for(['2', '3'])('MSW %s intercepts what docs/testing.md says', async (version, { project, skip }) => {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (version === '3' && major < 22) return skip(`MSW ${version} needs Node 22, and this is ${process.version}`)
  const { run } = await project('msw', { install: [`msw@${version}`] })
  const { stdout } = await run('vitest', 'run')
  print(stdout)
  expect(stdout).toMatch(/Tests +2 passed/)
})
