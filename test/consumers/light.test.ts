import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { consumerTest, print } from './helpers/consumer-test.ts'

const others = ['msw', 'emulate@0', '@copilotkit/aimock']

/** The sizes of all files of a folder, in bytes. */
async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true })
  const stats = await Promise.all(files.map((file) => lstat(join(folder, file))))
  return stats.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
}

consumerTest(
  'an install of the package is at most four packages and 9 MB; its peers beside it',
  async ({ project }) => {
    const measured = async (instead?: string) => {
      const { folder, run } = await project('empty', instead === undefined ? {} : { instead })
      const listed = await run('npm', 'ls', '--all', '--parseable')
      const packages = listed.stdout.trim().split('\n').length - 1
      const bytes = await bytesIn(join(folder, 'node_modules'))
      print(
        `${(instead ?? 'filehost').padEnd(20)} ${String(packages).padStart(4)} packages ${(bytes / 1e6).toFixed(1).padStart(6)} MB`,
      )
      return { packages, bytes }
    }
    const { packages, bytes } = await measured()
    for (const other of others) await measured(other)
    expect(packages).toBeLessThanOrEqual(4)
    expect(bytes).toBeLessThan(9e6)
  },
)
