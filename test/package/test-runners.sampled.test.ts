import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { codeOf } from '../helpers/testing-page.ts'
import { runNode, userProject } from '../helpers/user-project.ts'
import { sample } from '../sampling/sample.ts'

const emulate = [resolve('bin/fh.js'), 'emulate', '-q', '--']
const permissions = ['--allow-net=127.0.0.1', '--allow-env', '--allow-sys=osUptime']

/** Runners of tests that docs/testing.md has an example for, how they are called, and what they say at the end. */
const runners: readonly (readonly [name: string, words: readonly string[], said: RegExp])[] = [
  ['node:test', ['--test', '--test-reporter=tap'], /# pass 1\n# fail 0/],
  // A runner with Jest's globals.
  ['Jest', [resolve('node_modules/vitest/vitest.mjs'), 'run', '--globals', '--root', '.'], /Tests +1 passed/],
  // The permissions are those that the page names.
  [
    'Deno',
    [
      ...emulate,
      process.execPath,
      resolve('node_modules/deno/bin.cjs'),
      'test',
      '--no-prompt',
      '--no-check',
      ...permissions,
    ],
    /1 passed \| 0 failed/,
  ],
  ['Bun', [...emulate, resolve('node_modules/bun/bin/bun.exe'), 'test'], /1 pass\n 0 fail/],
]

test.each(sample(runners, 1))('the example for %s passes', async (name, words, said) => {
  const folder = userProject({ 'example.test.js': codeOf(name, 'js') })
  const { stdout, stderr } = await runNode(folder, ...words)
  expect(stdout + stderr).toMatch(said)
})
