import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recentSlugs, rememberSlugs, startRemembering } from '../../../../src/cli/completion/slug-cache.ts'
import type { GivenSettings } from '../../../../src/cli/config/settings.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

const hour = 3_600_000
const origin = { type: 'default' } as const
const account: GivenSettings = { base_url: { value: 'https://a', origin }, api_key: { value: 'key', origin } }

const first = new Map([['one', 'first']])

/** A state folder, after a shell has asked for a completion. */
function folder({ isAsked = true } = {}) {
  const env = { FH_STATE_DIR: temporaryFolder() }
  if (isAsked) startRemembering(env)
  return env
}

test('slugs are suggested newest first, for four hours', async () => {
  const env = folder()
  rememberSlugs(env, account, first, 0)
  rememberSlugs(env, account, new Map([['two', 'second']]), 3 * hour)
  expect(recentSlugs(env, account, 3 * hour).map(({ value }) => value)).toEqual(['two', 'one'])
  expect(recentSlugs(env, account, 5 * hour).map(({ value }) => value)).toEqual(['two'])
  rememberSlugs(env, account, new Map([['two', null]]), 5 * hour)
  expect(await readFile(join(env.FH_STATE_DIR, 'completion.json'), 'utf8')).toBe('{}')
})

test('a cache that cannot be replaced leaves no draft behind', async () => {
  const env = folder({ isAsked: false })
  await mkdir(join(env.FH_STATE_DIR, 'completion.json'))
  rememberSlugs(env, account, first, 0)
  expect(await readdir(env.FH_STATE_DIR)).toEqual(['completion.json'])
})

test.skipIf(process.platform === 'win32')('a link in place of the cache or of a draft is not followed', async () => {
  const env = folder()
  const [cache, precious] = [join(env.FH_STATE_DIR, 'completion.json'), join(env.FH_STATE_DIR, 'precious')]
  rememberSlugs(env, account, first, 0)
  await rename(cache, precious)
  await symlink(precious, cache)
  await symlink(precious, `${cache}.${process.pid}`)
  expect(recentSlugs(env, account, 0)).toEqual([])
  const before = await readFile(precious, 'utf8')
  rememberSlugs(env, account, new Map([['two', 'second']]), 0)
  expect(await readFile(precious, 'utf8')).toBe(before)
  expect(recentSlugs(env, account, 0).map(({ value }) => value)).toEqual(['two'])
})

test('at most five hundred slugs are suggested, and none that a shell would run', () => {
  const env = folder()
  const many = Array.from({ length: 700 }, (_, index): [string, string] => [`s${index}`, 'x'])
  rememberSlugs(env, account, new Map([['$(rm -rf ~)', 'x'], ['a;b', 'x'], ...many]), 0)
  const suggested = recentSlugs(env, account, 0)
  expect([suggested.length, suggested.filter(({ value }) => !/^s\d+$/.test(value))]).toEqual([500, []])
})

test.each(['', '[]', '{"x":1}', '{"x":[{"slug":5}]}'])(
  'a cache that holds %j suggests nothing, and is replaced',
  async (text) => {
    const env = folder()
    await writeFile(join(env.FH_STATE_DIR, 'completion.json'), text)
    expect(recentSlugs(env, account, 0)).toEqual([])
    rememberSlugs(env, account, new Map([['one', '']]), 0)
    expect(recentSlugs(env, account, 0)).toHaveLength(1)
  },
)
