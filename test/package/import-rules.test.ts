import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const configuration = createRequire(import.meta.url)('../../.dependency-cruiser.cjs')

const broken = [
  ['emulator-room', 'emulator/a.ts', 'src/client/b.ts'],
  ['cli-knows-no-call', 'src/cli/a.ts', 'src/client/b.ts'],
  ['only-programs-load-the-entry', 'src/cli/b.ts', 'src/index.ts'],
  ['system-room', 'src/system/a.ts', 'src/client/b.ts'],
  ['environment-room', 'src/environment/a.ts', 'src/cli/b.ts'],
  ['commands-apart', 'src/cli/commands/upload/a.ts', 'src/cli/commands/download/b.ts'],
  ['commands-apart', 'src/cli/commands/show/command.ts', 'src/cli/commands/download/b.ts'],
  ['only-catalog-names-commands', 'src/cli/run/a.ts', 'src/cli/commands/list.ts'],
  ['cli-output', 'src/cli/output/a.ts', 'src/cli/config/b.ts'],
  ['cli-batch', 'src/cli/batch/a.ts', 'src/cli/choice/b.ts'],
  ['cli-format', 'src/cli/format/a.ts', 'src/cli/failures/b.ts'],
  ['only-emulate-starts-the-emulator', 'src/cli/commands/emulate/a.ts', 'emulator/index.ts'],
  ['emulate-by-its-entry', 'src/cli/commands/emulate/command.ts', 'emulator/clock/clock.ts'],
  ['protocol-imports-nothing', 'src/protocol/a.ts', 'node:fs'],
  ['store-room', 'src/store/a.ts', 'src/pacing/b.ts'],
  ['pacing-room', 'src/pacing/a.ts', 'src/client/b.ts'],
  ['pacing-room', 'src/pacing/c.ts', 'src/uploads/b.ts'],
  ['redis-loaded-when-asked-for', 'src/cli/commands/a.ts', 'src/store/redis/uploads.ts'],
  ['redis-loaded-when-asked-for', 'src/client/a.ts', 'src/store/redis/b.ts'],
  ['redis-loaded-when-asked-for', 'src/pacing/b.ts', 'src/pacing/fleet/b.ts'],
  ['uploads-room', 'src/uploads/a.ts', 'src/cli/b.ts'],
  ['uploads-room', 'src/uploads/c.ts', 'src/client/b.ts'],
  ['site-knows-no-api', 'emulator/site/a.ts', 'emulator/api/b.ts'],
  ['php-imports-nothing', 'emulator/php/a.ts', 'emulator/http.ts'],
  ['wire-knows-no-service', 'emulator/wire/a.ts', 'emulator/service/b.ts'],
  ['thumbnails-room', 'emulator/thumbnails/a.ts', 'emulator/service/b.ts'],
  ['service-knows-no-wire', 'emulator/service/a.ts', 'node:child_process'],
  ['service-knows-no-wire', 'emulator/service/c.ts', 'node:fs/promises'],
  ['service-knows-no-wire', 'emulator/service/d.ts', 'emulator/api/b.ts'],
  ['service-is-given-its-thumbnails', 'emulator/service/e.ts', 'emulator/thumbnails/b.ts'],
  ['control-knows-no-api', 'emulator/control/a.ts', 'emulator/api/b.ts'],
  ['emulator-takes-only-the-type-of-the-clock', 'emulator/c.ts', 'src/clock.ts'],
  ['client-sources', 'src/client/sources/a.ts', 'src/client/exactly-once/b.ts'],
  ['sources-never-import-tests', 'src/client/c.ts', 'test/b.ts'],
  ['no-cycle', 'src/checks/a.ts', 'src/checks/a.ts'],
  ['no-unresolvable', 'src/checks/c.ts', './missing.ts'],
] as const
const allowed = ['src/client/good.ts', 'src/protocol/b.ts'] as const

test('each rule of imports is broken by an import against it, and none by a client in its own room', async () => {
  const root = temporaryFolder()
  const imports = [...broken.map(([, from, to]) => [from, to] as const), allowed]
  const sources = new Set(imports.map(([from]) => from as string))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  for (const [from, to] of imports) {
    const isFile = /^(src|emulator|test)\//.test(to)
    if (isFile && !sources.has(to)) await write(to, 'export const nothing = 0\n')
    const specifier = isFile ? `./${relative(dirname(from), to)}` : to
    await write(from, `import * as something from '${specifier}'\nexport const all = something\n`)
  }
  const { tsConfig: _, ...options } = configuration.options
  const rooms = ['src', 'emulator', 'test']
  const { output } = await cruise(rooms, { ...options, baseDir: root, validate: true, ruleSet: configuration })
  const found = (output as ICruiseResult).summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)
  expect(found).toEqual(expect.arrayContaining(broken.map(([rule, from]) => `${rule}: ${from}`)))
  expect(found.filter((violation) => violation.endsWith(allowed[0]))).toEqual([])
})
