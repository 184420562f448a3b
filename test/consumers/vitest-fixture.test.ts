import { expect } from 'vitest'
import { consumerTest, print } from './helpers/consumer-test.ts'

consumerTest.for(['3.2', '4.0', '4'])(
  'the fixtures of filehost/vitest work and have types under Vitest %s',
  async (version, { project }) => {
    const { run } = await project('vitest-fixture', {
      install: [`vitest@${version}`, ...(version < '4' ? ['vite@6'] : [])],
    })
    await run('tsc')
    const { stdout } = await run('vitest', 'run', '--no-color')
    expect(stdout).toMatch(/Tests +13 passed \| 1 expected fail|Tests +14 passed/)
    print(`Vitest ${version}: ${/1,000 uploads.*/.exec(stdout)?.[0]}`)
  },
)
