import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { sample } from '../sampling/sample.ts'

const configuration = createRequire(import.meta.url)('../../.dependency-cruiser.cjs')

/** The names of the rules that a tree of files breaks. */
async function violations(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const root = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const { tsConfig: _, ...options } = configuration.options
  const rooms = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? path))]
  const { output } = await cruise(rooms, { ...options, baseDir: root, validate: true, ruleSet: configuration })
  return [...new Set((output as ICruiseResult).summary.violations.map(({ rule }) => rule.name))]
}

/** A file that imports a second file, or a module of Node. */
function importing(importer: string, imported: string): Readonly<Record<string, string>> {
  const isOurs = !imported.startsWith('node:')
  const specifier = isOurs ? `./${relative(dirname(importer), imported)}` : imported
  const text = `import { nothing } from '${specifier}'\nexport const something = nothing\n`
  return { ...(isOurs && { [imported]: 'export const nothing = 0\n' }), [importer]: text }
}

const broken = [
  ['emulator-room', 'emulator/a.ts', 'src/client/b.ts'],
  ['cli-through-the-front-door', 'src/cli/a.ts', 'src/client/b.ts'],
  ['system-room', 'src/system/a.ts', 'src/client/b.ts'],
  ['environment-room', 'src/environment/a.ts', 'src/cli/b.ts'],
  ['commands-apart', 'src/cli/commands/upload/a.ts', 'src/cli/commands/download/b.ts'],
  ['commands-apart', 'src/cli/commands/list/command.ts', 'src/cli/commands/download/b.ts'],
  ['only-catalog-names-commands', 'src/cli/output/a.ts', 'src/cli/commands/list/command.ts'],
  ['only-emulate-starts-the-emulator', 'src/cli/commands/emulate/b.ts', 'emulator/index.ts'],
  ['emulate-by-its-entry', 'src/cli/commands/emulate/command.ts', 'emulator/clock/clock.ts'],
  ['protocol-imports-nothing', 'src/protocol/a.ts', 'node:fs'],
  ['pacing-room', 'src/pacing/a.ts', 'src/client/b.ts'],
  ['fleet-loaded-when-asked-for', 'src/cli/commands/a.ts', 'src/fleet/b.ts'],
  ['fleet-loaded-when-asked-for', 'src/client/a.ts', 'src/fleet/b.ts'],
  ['fleet-room', 'src/fleet/a.ts', 'src/client/b.ts'],
  ['pacing-room', 'src/pacing/a.ts', 'src/fleet/b.ts'],
  ['site-knows-no-api', 'emulator/site/a.ts', 'emulator/http/b.ts'],
  ['thumbnails-room', 'emulator/thumbnails/a.ts', 'emulator/service/b.ts'],
  ['service-knows-no-wire', 'emulator/service/a.ts', 'node:child_process'],
  ['service-knows-no-wire', 'emulator/service/a.ts', 'node:fs/promises'],
  ['service-knows-no-wire', 'emulator/service/a.ts', 'emulator/http/b.ts'],
  ['control-knows-no-api', 'emulator/control/a.ts', 'emulator/http/b.ts'],
  ['emulator-takes-only-the-type-of-the-clock', 'emulator/a.ts', 'src/clock.ts'],
  ['sources-never-import-tests', 'src/client/a.ts', 'test/b.ts'],
].map(([rule = '', importer = '', imported = '']) => ({
  what: `the rule ${rule} is broken by ${importer} with an import of ${imported}`,
  files: importing(importer, imported),
  rules: [rule],
}))

const others = [
  {
    what: 'a cycle breaks a rule',
    files: { 'src/client/a.ts': "export * from './b.ts'\n", 'src/client/b.ts': "export * from './a.ts'\n" },
    rules: ['no-cycle'],
  },
  {
    what: 'an import that resolves to nothing breaks a rule',
    files: { 'src/client/a.ts': "export * from './missing.ts'\n" },
    rules: ['no-unresolvable'],
  },
  {
    what: 'a client in its own room breaks no rule',
    files: importing('src/client/a.ts', 'src/protocol/b.ts'),
    rules: [],
  },
]

for (const { what, files, rules } of sample([...broken, ...others], 6)) {
  test(what, async () => {
    expect(await violations(files)).toEqual(rules.length === 0 ? [] : expect.arrayContaining(rules))
  })
}
