import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { deadAddress } from '../helpers/dead-address.ts'
import { codeOf } from '../helpers/testing-page.ts'
import { consumerTest } from './helpers/consumer-test.ts'

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

consumerTest(
  'Playwright starts the emulator as docs/testing.md says, and a page uploads to it',
  async ({ project, skip }) => {
    const [path] = spawnSync('which', programs, { encoding: 'utf8' }).stdout.split('\n')
    if (!path) return skip('This machine has no Chromium')
    const [emulatorPort, pagePort] = [new URL(await deadAddress()).port, new URL(await deadAddress()).port]
    const ports = { EMULATOR_PORT: emulatorPort, PAGE_PORT: pagePort }
    const env = { ...ports, CHROMIUM: path, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
    const { folder, run } = await project('playwright', { env })
    await writeFile(join(folder, 'example.config.js'), codeOf('Playwright', 'js').replaceAll('4884', emulatorPort))
    const { stdout } = await run('playwright', 'test', '--reporter=line')
    expect(stdout).toContain('1 passed')
  },
)
