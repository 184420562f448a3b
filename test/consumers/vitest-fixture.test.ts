import { expect } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

consumerTest.for(['3.2', '4.0', '4'])(
  'the fixtures of filehost/vitest work and have types under Vitest %s',
  async (version, { project }) => {
    const install = [`vitest@${version}`, ...(version < '4' ? ['vite@6'] : [])]
    const { run } = await project('vitest-fixture', { install })
    await run('tsc')
    const { stdout } = await run('vitest', 'run', '--no-color')
    expect(stdout).toMatch(/Tests +7 passed \| 1 expected fail|Tests +8 passed/)
  },
)
