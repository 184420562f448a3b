import { runnerImport } from 'vite'

const { module } = await runnerImport('./test/mutants/try-mutants.ts')
process.exitCode = await module.tryMutants(process.argv.slice(2))
