import { expect, test } from 'vitest'
import { uploadTypes } from '../../../../src/cli/choice/filter-flags.ts'
import { suggest } from '../../../../src/cli/commands/completion/suggest.ts'
import { describeProgram } from '../../../../src/cli/run/program.ts'

const { program } = await describeProgram(['list', 'download', 'delete'])
const none = () => []
const sources = {
  profiles: none,
  slugs: none,
  fields: none,
  settings: none,
  settingValues: () => ({ type: 'words', words: [] }) as const,
  topics: none,
}

test.each(['list', 'download', 'delete'])(
  'fh %s has the filters of uploads, and completes every type',
  async (name) => {
    const command = program.commands.find((one) => one.name() === name)
    const flags = command?.options.filter(({ helpGroupHeading }) => helpGroupHeading === 'Which uploads:') ?? []
    const filters = ['--type', '--since', '--before', '--larger', '--smaller', '--name']
    expect(flags.slice(0, filters.length).map(({ long }) => long)).toEqual(filters)
    expect(await suggest(program, [name, '--type', ''], sources)).toMatchObject({
      words: uploadTypes.map((value) => ({ value })),
    })
  },
)
