import { expect } from 'vitest'
import { consumerTest, print } from './helpers/consumer-test.ts'

consumerTest(
  "Jest's jsdom gets the build for browsers, the emulator, and with Node's conditions the library",
  async ({ project }) => {
    const { run } = await project('jest-browser-build', { env: { NODE_OPTIONS: '--experimental-vm-modules' } })
    const { stderr } = await run('jest', '--env=jsdom')
    print(stderr.replaceAll(/^.*ExperimentalWarning.*\n|^\(Use `node.*\n/gm, ''))
    expect(stderr).toMatch(/Tests: +3 passed, 3 total/)
  },
)
