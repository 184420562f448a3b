import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { helpAfter, manPage } from '../../../../../build/man-page.ts'
import { version } from '../../../../../package.json'
import { catalog } from '../../../../../src/cli/run/catalog.ts'
import { describeProgram } from '../../../../../src/cli/run/program.ts'

const program = await describeProgram(Object.keys(catalog))

/** The newest section of the changelog dates the page: the same sources make the same page on every day. */
function newestRelease() {
  const [, newest = '', date = ''] = /^## (\S+) - (\d{4}-\d\d-\d\d)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? []
  return { version: newest, date }
}

test('the newest section of CHANGELOG.md is dated and has the version of the package, as the manual page has', async () => {
  expect(newestRelease()).toEqual({ version, date: expect.stringMatching(/^20/) })
  const [title] = manPage(program, { version: '1.2.3', date: '2027-01-02' }).split('\n')
  expect(title).toBe('.TH FH 1 "2027-01-02" "filehost 1.2.3" "User Commands"')
})

test('docs/fh.1 is what npm run docs writes, and lines that it does not fill fit a terminal of 80 columns', async () => {
  const page = manPage(program, newestRelease())
  await expect(page).toMatchFileSnapshot('../../../../../docs/fh.1')
  expect(page.replaceAll('\\', '')).not.toMatch(/\.nf\n([^.].*\n|\n)*.{74}/)
})

test('the help of every command has examples that run it', () => {
  for (const command of program.commands) {
    expect(helpAfter(command), command.name()).toMatch(new RegExp(`Examples:\\n(  .*\\n)*  .*fh ${command.name()}`))
  }
})
