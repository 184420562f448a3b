import type { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { fullHelp } from '../../../../../src/cli/commands/help.ts'
import type { Context } from '../../../../../src/cli/context/context.ts'
import type { PlainDocument } from '../../../../../src/cli/output/events.ts'
import { pathOf } from '../../../../../src/cli/output/help-layout.ts'
import { catalog } from '../../../../../src/cli/run/catalog.ts'
import { describeProgram, parseArgv } from '../../../../../src/cli/run/program.ts'

vi.mock('../../../../../src/system/process.ts', () => ({ mayBeTerminal: () => true }))

const program = await describeProgram(Object.keys(catalog))
const commands = withChildren(program)
const topics = ['flags', 'exit-codes', 'environment']

function withChildren(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withChildren)]
}

/** What `fh help topic` prints. */
async function topicText(topic: string): Promise<string> {
  const { run } = await parseArgv(['help', topic])
  const printed: string[] = []
  const print = ({ text }: PlainDocument) => printed.push(text)
  await run({ print, describeProgram } as unknown as Context)
  return printed.join('\n')
}

function setColumns(columns: number | undefined): void {
  Object.defineProperty(process.stdout, 'columns', { value: columns, configurable: true, writable: true })
}

afterEach(() => setColumns(undefined))

test.each([
  ...commands.map((command) => [pathOf(command), async () => fullHelp(command)] as const),
  ...topics.map((topic) => [`fh help ${topic}`, () => topicText(topic)] as const),
])('the text of %s fits 80 columns', async (_, text) => {
  for (const line of (await text()).split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
})

test('help is no wider than 80 columns on a wide terminal', () => {
  const usual = commands.map(fullHelp)
  setColumns(200)
  expect(commands.map(fullHelp)).toEqual(usual)
})

test('fh help flags has every flag of every command, each under a heading', async () => {
  const text = await topicText('flags')
  for (const { flags, helpGroupHeading } of program.options.filter(({ long }) => long !== '--version')) {
    expect(text).toContain(`\n  ${flags}`)
    expect(text).toContain(`\n${helpGroupHeading}\n`)
  }
})
