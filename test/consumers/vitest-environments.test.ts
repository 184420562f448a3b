import { expect } from 'vitest'
import { consumerTest, print } from './helpers/consumer-test.ts'

consumerTest.for(['4', '5'])(
  'uploads arrive in every environment of Vitest %s, in threads, processes and contexts',
  async (version, { project }) => {
    const { run } = await project('vitest-environments', { install: [`vitest@${version}`] })
    for (const pool of ['threads', 'forks', 'vmThreads']) {
      const { stdout } = await run('vitest', 'run', `--pool=${pool}`)
      print(`${pool}: ${stdout}`)
      expect(stdout).toMatch(/Test Files +4 passed/)
    }
  },
)
