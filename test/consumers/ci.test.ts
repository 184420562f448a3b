import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

const page = await readFile('docs/testing.md', 'utf8')
const commands = [...page.matchAll(/^ +- (?:run: )?(npx fh emulate .*)$/gm)].map(([, command = '']) => command)

consumerTest('the commands of the CI recipes run a project’s tests against the emulator', async ({ project }) => {
  const { run } = await project('ci')
  expect(commands).toHaveLength(2)
  for (const command of commands) {
    const { stdout } = await run('sh', '-c', command)
    expect(stdout).toMatch(/^image\/gif$/m)
  }
})
