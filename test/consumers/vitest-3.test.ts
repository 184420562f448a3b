import { expect } from 'vitest'
import { consumerTest, print } from './helpers/consumer-test.ts'

consumerTest(
  'uploads arrive in every environment of Vitest 3, in threads, processes and contexts',
  async ({ project }) => {
    const { run } = await project('vitest-3')
    for (const pool of ['threads', 'forks', 'vmThreads']) {
      const { stdout } = await run('vitest', 'run', `--pool=${pool}`)
      print(`${pool}: ${stdout}`)
      expect(stdout).toMatch(/Test Files +4 passed/)
    }
  },
)
