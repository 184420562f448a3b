import { expect, test } from 'vitest'
import { type ColorChoice, hasColor } from '../../../../../src/cli/output/terminal/terminal.ts'

test.each<[string, ColorChoice, Record<string, string>, boolean, boolean]>([
  ['a terminal', 'auto', {}, true, true],
  ['a pipe', 'auto', {}, false, false],
  ['a dumb terminal', 'auto', { TERM: 'dumb' }, true, false],
  ['--color always on a pipe', 'always', {}, false, true],
  ['--color never on a terminal', 'never', {}, true, false],
  ['FORCE_COLOR on a pipe', 'auto', { FORCE_COLOR: '1' }, false, true],
  ['FORCE_COLOR=0 on a terminal', 'auto', { FORCE_COLOR: '0' }, true, false],
  ['CLICOLOR_FORCE on a pipe', 'auto', { CLICOLOR_FORCE: '1' }, false, true],
  ['NO_COLOR against --color always', 'always', { NO_COLOR: '1' }, true, false],
  ['NO_COLOR against FORCE_COLOR', 'auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['NO_COLOR against CLICOLOR_FORCE', 'auto', { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, true, false],
  ['CLICOLOR_FORCE=0 on a pipe', 'auto', { CLICOLOR_FORCE: '0' }, false, false],
  ['--color always against FORCE_COLOR=0', 'always', { FORCE_COLOR: '0' }, true, true],
  ['FORCE_COLOR on a dumb terminal', 'auto', { TERM: 'dumb', FORCE_COLOR: '1' }, true, true],
  ['an empty NO_COLOR', 'auto', { NO_COLOR: '' }, true, true],
])('colour is used or not with %s', (_, choice, env, terminal, colored) => {
  expect(hasColor(choice, env, terminal)).toBe(colored)
})
