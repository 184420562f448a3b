import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

consumerTest(
  'an install of the package is at most four packages and 9 MB; its peers beside it',
  async ({ project }) => {
    const { folder, run } = await project('empty')
    const listed = await run('npm', 'ls', '--all', '--parseable')
    const packages = listed.stdout.trim().split('\n').length - 1
    const modules = join(folder, 'node_modules')
    const stats = await Promise.all(
      (await readdir(modules, { recursive: true })).map((file) => lstat(join(modules, file))),
    )
    const bytes = stats.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
    expect(packages).toBeLessThanOrEqual(4)
    expect(bytes).toBeLessThan(9e6)
  },
)
