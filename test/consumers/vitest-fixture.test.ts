import { expect } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

consumerTest.for(['4.0', '4', '5'])(
  'the fixtures of filehost/vitest and the matchers work and have types under Vitest %s',
  async (version, { project }) => {
    const { run } = await project('vitest-fixture', { install: [`vitest@${version}`] })
    await run('tsc')
    const { stdout } = await run('vitest', 'run', '--no-color')
    expect(stdout).toMatch(/Tests +6 passed \| 1 expected fail|Tests +7 passed/)
  },
)
