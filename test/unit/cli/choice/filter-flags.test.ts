import { expect, test } from 'vitest'
import { describeProgram } from '../../../../src/cli/run/program.ts'

const names = ['list', 'download', 'delete']
const { program } = await describeProgram(names)

test.each(names)('fh %s has the filters of uploads', (name) => {
  const command = program.commands.find((one) => one.name() === name)
  const flags = command?.options.filter(({ helpGroupHeading }) => helpGroupHeading === 'Which uploads:') ?? []
  const filters = ['--type', '--since', '--before', '--larger', '--smaller', '--name']
  expect(flags.slice(0, filters.length).map(({ long }) => long)).toEqual(filters)
})
