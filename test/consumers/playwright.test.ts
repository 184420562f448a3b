import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { deadAddress } from '../helpers/dead-address.ts'
import { codeOf } from '../helpers/testing-page.ts'
import { installedChromium } from './helpers/chromium.ts'
import { consumerTest, print } from './helpers/consumer-test.ts'
import { runProgram } from './helpers/run-program.ts'

consumerTest(
  'Playwright starts the emulator as docs/testing.md says, and a page uploads to it',
  async ({ project, skip }) => {
    const program = await installedChromium()
    if (program === undefined) return skip('This machine has no Chromium')
    const { port } = new URL(await deadAddress())
    const path = (await runProgram('.', 'which', [program])).stdout.trim()
    const env = {
      CHROMIUM: path,
      EMULATOR_PORT: port,
      PAGE_PORT: new URL(await deadAddress()).port,
      PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    }
    const { folder, run } = await project('playwright', { env })
    await writeFile(join(folder, 'example.config.js'), codeOf('Playwright', 'js').replaceAll('4884', port))
    const { stdout } = await run('playwright', 'test', '--reporter=line')
    print(stdout)
    expect(stdout).toContain('1 passed')
  },
)
