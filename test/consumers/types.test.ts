import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

const modules = [
  ['nodenext', 'nodenext'],
  ['node16', 'node16'],
  ['esnext', 'bundler'],
] as const
const libs = [['es2023'], ['es2023', 'dom']]
/** No types are named, and every declaration is checked. */
const strictly = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: 'es2023',
  types: [],
}

consumerTest.for(['~5.6.0', '~5.9.0', '~6.0.0', 'latest'])(
  'the types compile with TypeScript %s and nothing else installed, all declarations checked',
  async (version, { project }) => {
    const { folder, run } = await project('types', { install: [`typescript@${version}`] })
    for (const [module, moduleResolution] of modules) {
      for (const lib of libs) {
        const compilerOptions = { ...strictly, module, moduleResolution, lib }
        await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
        const { stdout } = await run('tsc')
        expect(stdout).toBe('')
      }
    }
  },
)
