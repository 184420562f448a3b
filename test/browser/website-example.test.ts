import { pathToFileURL } from 'node:url'
import { expect, inject, test } from 'vitest'
import { codeOf } from '../helpers/testing-page.ts'
import { runNode, userProject } from '../helpers/user-project.ts'

test('the example of docs/website.md passes in a project that has Playwright', async ({ skip }) => {
  const started = inject('chromium')
  if (started === null) return skip('left out: this machine has no Chromium')
  const core = pathToFileURL('node_modules/playwright-core/index.mjs').href
  const folder = userProject({
    'example.test.js': codeOf('In your own browser tests', 'js', 'website.md'),
    'node_modules/playwright/package.json': '{"type":"module","exports":"./index.js"}',
    // Playwright's own package would download a Chromium; this one starts that of the other tests.
    'node_modules/playwright/index.js': `
import { chromium as browser } from '${core}'
export const chromium = { launch: () => browser.launch(${JSON.stringify(started)}) }`,
  })
  const { stdout } = await runNode(folder, '--test', '--test-reporter=tap')
  expect(stdout).toMatch(/# pass 1\n# fail 0/)
})
