import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findChromium } from '../browser/harness/setup.ts'
import { codesOf } from '../helpers/testing-page.ts'
import { consumerTest } from './helpers/consumer-test.ts'

consumerTest(
  'tests in a page find the emulator as docs/testing.md says, and what they load of it in the page says so',
  async ({ project, skip, onTestFinished }) => {
    const { chromium, remove } = await findChromium()
    onTestFinished(remove)
    if (chromium === null) return skip('This machine has no Chromium')
    const { folder, run } = await project('vitest-browser', { env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' } })
    const launch = `playwright({ launchOptions: ${JSON.stringify(chromium)} })`
    for (const code of codesOf('Vitest in a browser', 'js')) {
      const [, name = ''] = /^\/\/ (\S+)\n/.exec(code) ?? []
      await writeFile(join(folder, name), code.replace('playwright()', launch))
    }
    const { stdout } = await run('vitest', 'run')
    expect(stdout).toMatch(/Tests +5 passed/)
  },
)
