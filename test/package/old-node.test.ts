import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const { engines, exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const [, major, minor] = />=(\d+)\.(\d+)/.exec(engines.node)?.map(Number) ?? []
const onNode = resolve('build/on-node.mjs')

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

const report = 'node -e "console.log(JSON.stringify([process.version, ...process.argv.slice(1)])); process.exit(7)" --'
const words = ['two words', 'a"b', "it's", '*', '$HOME', '']

test('a script runs at once on a Node that is new enough, gets its arguments as they are, and its exit code counts', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [onNode, report, ...words], { encoding: 'utf8' })
  expect([status, JSON.parse(stdout), stderr]).toEqual([7, [process.version, ...words], ''])
})

test('on a Node that is too old npm runs the same script on a newer one, with the same arguments and exit code', (context) => {
  const old = olderNode(context)
  const npm = join(temporaryFolder(), 'npm-cli.js')
  writeFileSync(
    npm,
    `const [words, node] = [process.argv.slice(2), ${JSON.stringify(process.execPath)}]
    console.log(JSON.stringify(words.slice(0, 5)))
    const { status } = require('child_process').spawnSync(node, words.slice(5), { stdio: 'inherit' })
    process.exit(status)`,
  )
  const env = { ...process.env, npm_execpath: npm }
  const { status, stdout, stderr } = spawnSync(old, [onNode, report, ...words], { encoding: 'utf8', env })
  const [called = '', reported = ''] = stdout.split('\n')
  expect(JSON.parse(called)).toEqual(['exec', '--yes', expect.stringMatching(/^--package=node-.*@2\d$/), '--', 'node'])
  expect([status, JSON.parse(reported)]).toEqual([7, [process.version, ...words]])
  expect(stderr).toMatch(/^filehost needs Node 22\.19 or newer, and this is v.*: npm runs it on node-.*\n$/)
})

test('where the newer Node is too old as well, the script ends with 1 and one line, not with another try', (context) => {
  const env = { ...process.env, ON_NODE_TRIED: 'yes' }
  const { status, stderr } = spawnSync(olderNode(context), [onNode, report], { encoding: 'utf8', env })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^filehost needs Node .*: install one from https:\S+\n$/)
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a %s ends a script and is how its end is reported',
  async (signal) => {
    const child = spawn(process.execPath, [onNode, 'node -e "console.log(1); setInterval(() => {}, 1000)"'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([null, signal])
  },
)
