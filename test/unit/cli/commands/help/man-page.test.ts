import { expect, test } from 'vitest'
import { helpAfter } from '../../../../../src/cli/commands/help/help-text.ts'
import { manPage } from '../../../../../src/cli/commands/help/man-page.ts'
import { catalog } from '../../../../../src/cli/run/catalog.ts'
import { describeProgram } from '../../../../../src/cli/run/program.ts'

test('docs/fh.1 is what npm run docs writes from the declarations of the commands', async () => {
  await expect(await manPage()).toMatchFileSnapshot('../../../../../docs/fh.1')
})

test('the manual page has every command and every flag', async () => {
  const page = await manPage()
  const { program } = await describeProgram(Object.keys(catalog))
  for (const command of program.commands) {
    expect(page).toContain(`.SS fh ${command.name()}`)
    for (const { flags } of command.options) expect(page).toContain(`.B ${flags.replaceAll('-', '\\-')}\n`)
  }
})

test('the help of every command has examples that run it', async () => {
  const { program } = await describeProgram(Object.keys(catalog))
  for (const command of program.commands) {
    expect(helpAfter(command), command.name()).toMatch(new RegExp(`Examples:\\n(  .*\\n)*  .*fh ${command.name()}`))
  }
})
