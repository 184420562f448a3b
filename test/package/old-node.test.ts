import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type TestContext, test } from 'vitest'

const { engines, exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const [, major, minor] = />=(\d+)\.(\d+)/.exec(engines.node)?.map(Number) ?? []

/** The first Node on the PATH that is too old for the package, of those that can read its modules. Skips without one. */
function olderNode({ skip }: TestContext): string {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const found = places.filter(existsSync).find((node) => {
    const [ownMajor = 0, ownMinor = 0] = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
      .split('.')
      .map(Number)
    return ownMajor >= 18 && (ownMajor < Number(major) || (ownMajor === major && ownMinor < Number(minor)))
  })
  return found ?? skip(`left out: the PATH has no Node from 18 on that is older than ${major}.${minor}`)
}

test('the package, what checks the Node that loads it, and what tells people about it name the same Node', () => {
  const check = readFileSync('bin/node-version.js', 'utf8')
  expect(check).toContain(`major < ${major} || (major === ${major} && minor < ${minor})`)
  for (const file of ['bin/node-version.js', 'README.md', 'install.sh', 'install.ps1', 'tsup.config.ts']) {
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`node ?${major}\\.${minor}\\b`, 'i'))
  }
})

test('fh on a Node that is too old says in one line which it needs and where to get fh without Node, and ends with 1', (context) => {
  const { status, stdout, stderr } = spawnSync(olderNode(context), ['bin/fh.js', 'list'], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^filehost needs Node 22\.19 or newer, and this is v\d+\.\d+\.\d+; fh without Node: https:\S+\n$/,
  )
})

test('each entry of the package fails with that line on a Node that is too old, whose code programs can ask for', (context) => {
  const entries = Object.values<string | { default: string }>(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [pathToFileURL(entry.default).href],
  )
  const load = `Promise.all(process.argv.slice(1).map((entry) => import(entry).catch(({ code, message }) => [code, message])))
    .then((results) => console.log(JSON.stringify(results)))`
  const results = JSON.parse(execFileSync(olderNode(context), ['-e', load, ...entries], { encoding: 'utf8' }))
  expect(results.length).toBeGreaterThan(5)
  for (const result of results)
    expect(result).toEqual(['old-node', expect.stringContaining('filehost needs Node 22.19')])
})
