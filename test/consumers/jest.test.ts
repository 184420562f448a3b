import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { codeOf } from '../helpers/testing-page.ts'
import { consumerTest } from './helpers/consumer-test.ts'

/** Files that each project lacks, by the section of docs/testing.md whose code they have, and how many tests then pass. */
const cases = [
  ['jest', { 'modules.test.js': 'Jest' }, 2],
  ['jest-jsdom', { 'example.test.js': 'Jest with jsdom' }, 5],
  ['ts-jest', { 'jest.config.json': 'ts-jest', 'example.test.ts': 'ts-jest' }, 1],
  ['ts-jest-commonjs', {}, 1],
] as const

consumerTest.for(cases)(
  'Jest passes the examples of docs/testing.md: %s, %o',
  async ([name, files, count], { project }) => {
    const { folder, run } = await project(name, { env: { NODE_OPTIONS: '--experimental-vm-modules' } })
    for (const [file, section] of Object.entries(files)) {
      await writeFile(join(folder, file), codeOf(section, file.replace(/.*\.c?/, '')))
    }
    const { stderr } = await run('jest')
    expect(stderr).toContain(`${count} passed, ${count} total`)
  },
)
