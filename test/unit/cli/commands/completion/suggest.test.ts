import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { definitions } from '../../../../../emulator/settings/definitions.ts'
import { partBeforeCursor, presentSuggestions, readWords } from '../../../../../src/cli/commands/completion/command.ts'
import { suggest } from '../../../../../src/cli/commands/completion/suggest.ts'
import { pathOf } from '../../../../../src/cli/output/help-layout.ts'
import { catalog } from '../../../../../src/cli/run/catalog.ts'
import { describeProgram } from '../../../../../src/cli/run/program.ts'

const description = await describeProgram(Object.keys(catalog))
const { program, fieldsOf } = description

const known = { profiles: () => ['work'], uploads: async () => [{ value: 'aB3dE6gH9j', description: 'cat.png' }] }

async function completed(...words: readonly string[]): Promise<readonly string[] | 'files' | 'media' | 'folders'> {
  const found = await suggest(description, words, known)
  return typeof found === 'string' ? found : found.map(({ value }) => value)
}

function withChildren(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withChildren)]
}

/** What stands for values that have no list: numbers, times, sizes, names, addresses and patterns. */
const free = ['n', 'duration', 'when', 'size', 'rate', 'units', 'limits', 'name', 'glob', 'url', 'key', 'token', 'type']

const flags = withChildren(program).flatMap((command) => {
  const path = pathOf(command).split(' ').slice(1)
  const [name = ''] = path
  const takesFields = fieldsOf(name).length > 0
  return command.options
    .filter(({ long, required }) => required && (long !== '--fields' || takesFields))
    .map((option) => ({ path, option, placeholder: /<(.*)>/.exec(option.flags)?.[1] ?? '' }))
})

test('every flag completes its value, unless the value is a number, a time, a name or the like', async () => {
  for (const { path, option, placeholder } of flags) {
    const { long, argChoices } = option
    const values = await completed(...path, long ?? '', '')
    if (argChoices !== undefined) expect(values, long).toEqual(argChoices)
    else if (!free.includes(placeholder)) expect(values.length, `${path.join(' ')} ${long}`).toBeGreaterThan(0)
  }
  expect(flags.length).toBeGreaterThan(100)
})

test.each([
  ['list --type image/', ['image/jpeg', 'image/png', 'image/gif', 'image/webp']],
  ['ls --type video/q', ['video/quicktime']],
  ['upload --limits ', ['none']],
  ['upload --max-file-size=n', ['--max-file-size=none']],
  ['config use ', ['work']],
  ['config set max_wait ', ['unlimited']],
  ['config set max_wait 5m ', []],
  ['help config s', ['set']],
  ['get ', ['aB3dE6gH9j']],
  ['show one ', ['aB3dE6gH9j']],
  ['api ge', []],
  ['r', ['rm']],
  ['upload -j 2 a.jpg ', 'media'],
  ['upload --any-type ', 'files'],
  ['emulate ', ['env', 'wait']],
  ['emulate -- ', 'files'],
  ['emulate --set=quota_windows=sliding_', ['--set=quota_windows=sliding_counter']],
  ['emulate --set nothing=', []],
])('"%s" completes to %j', async (words, expected) => {
  expect(await completed(...words.split(' '))).toEqual(expected)
})

test('a dash completes to -- where a slug may follow, which may begin with one', async () => {
  expect(await completed('show', '-')).toContain('--')
  expect(await completed('list', '-')).not.toContain('--')
})

test('fh emulate --set completes every setting, and every value that a setting lists', async () => {
  expect(await completed('emulate', '--set', '')).toEqual(Object.keys(definitions).map((name) => `${name}=`))
  for (const [name, { type }] of Object.entries(definitions)) {
    const values = 'values' in type ? (type.values ?? []) : []
    expect(await completed('emulate', '--set', `${name}=`)).toEqual(values.map((value) => `${name}=${value}`))
  }
})

test.each([
  [['upload', '--format', '=', 'ma'], '--format=markdown', 'markdown'],
  [['emulate', '--set', 'quota_windows', '=', 'sl'], 'quota_windows=sliding', 'sliding'],
  [['emulate', '--set', 'quota_windows', '='], 'quota_windows=sliding', 'sliding'],
  [['emulate', '--set', '=', 'quota_windows', '=', 'sl'], '--set=quota_windows=sliding', 'sliding'],
  [['emulate', '--set=quota_windows=sl'], '--set=quota_windows=sliding', '--set=quota_windows=sliding'],
  [['list', '--color', 'al'], 'always', 'always'],
])('bash, which holds %j, is offered of %s what it replaces: %s', async (words, value, shown) => {
  const marked = words.map((word) => `=${word}`)
  const found = await suggest(description, readWords('bash', marked), known)
  const offered = presentSuggestions('bash', found, partBeforeCursor('bash', marked)).split('\n')
  expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ value })]))
  expect(offered).toContain(shown)
})
