import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { expect, onTestFinished, test } from 'vitest'

const configuration = createRequire(import.meta.url)('../../.dependency-cruiser.cjs')

/** The names of the rules that a tree of files breaks. */
async function violations(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), 'rooms-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const { tsConfig: _, ...options } = configuration.options
  const rooms = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? path))]
  const { output } = await cruise(rooms, { ...options, baseDir: root, validate: true, ruleSet: configuration })
  return [...new Set((output as ICruiseResult).summary.violations.map(({ rule }) => rule.name))]
}

const nothing = 'export const nothing = 0\n'
const importing = (path: string) => `import { nothing } from '${path}'\nexport const something = nothing\n`

test.each<readonly [string, string, Readonly<Record<string, string>>]>([
  [
    'a cycle',
    'no-cycle',
    { 'src/client/a.ts': importing('./b.ts'), 'src/client/b.ts': `${importing('./a.ts')}${nothing}` },
  ],
  ['an import that resolves to nothing', 'no-unresolvable', { 'src/client/a.ts': importing('./missing.ts') }],
  [
    'the emulator in the client’s room',
    'emulator-room',
    { 'emulator/a.ts': importing('../src/client/b.ts'), 'src/client/b.ts': nothing },
  ],
  [
    'the command line behind the library’s back',
    'cli-through-the-front-door',
    { 'src/cli/a.ts': importing('../client/b.ts'), 'src/client/b.ts': nothing },
  ],
  [
    'a command other than emulate in the emulator',
    'only-emulate-starts-the-emulator',
    { 'src/cli/commands/list.ts': importing('../../../emulator/index.ts'), 'emulator/index.ts': nothing },
  ],
  [
    'emulate past the emulator’s entry',
    'emulate-by-its-entry',
    { 'src/cli/commands/emulate.ts': importing('../../../emulator/clock.ts'), 'emulator/clock.ts': nothing },
  ],
  ['the contract in need of anything', 'protocol-imports-nothing', { 'src/protocol/a.ts': importing('node:fs') }],
  [
    'pacing in the client’s room',
    'pacing-room',
    { 'src/pacing/a.ts': importing('../client/b.ts'), 'src/client/b.ts': nothing },
  ],
  [
    'the site in the API’s room',
    'site-knows-no-api',
    { 'emulator/site/a.ts': importing('../http/b.ts'), 'emulator/http/b.ts': nothing },
  ],
  [
    'whoever makes thumbnails in the service’s room',
    'thumbnails-room',
    { 'emulator/thumbnails/a.ts': importing('../service/b.ts'), 'emulator/service/b.ts': nothing },
  ],
  [
    'a rule that starts a program',
    'service-knows-no-wire',
    { 'emulator/service/a.ts': importing('node:child_process') },
  ],
  ['a rule that reads a file', 'service-knows-no-wire', { 'emulator/service/a.ts': importing('node:fs/promises') }],
  [
    'a rule that knows HTTP',
    'service-knows-no-wire',
    { 'emulator/service/a.ts': importing('../http/b.ts'), 'emulator/http/b.ts': nothing },
  ],
  [
    'the control API in need of the service’s own',
    'control-knows-no-api',
    { 'emulator/control/a.ts': importing('../http/b.ts'), 'emulator/http/b.ts': nothing },
  ],
  [
    'the clock’s code in the emulator',
    'emulator-takes-only-the-type-of-the-clock',
    { 'emulator/a.ts': importing('../src/clock.ts'), 'src/clock.ts': nothing },
  ],
  [
    'a source that needs a test',
    'sources-never-import-tests',
    { 'src/client/a.ts': importing('../../test/b.ts'), 'test/b.ts': nothing },
  ],
])('%s breaks the rule %s', async (_, rule, files) => {
  expect(await violations(files)).toContain(rule)
})

test('a client in its own room breaks no rule', async () => {
  const files = { 'src/client/a.ts': importing('../protocol/b.ts'), 'src/protocol/b.ts': nothing }
  expect(await violations(files)).toEqual([])
})
