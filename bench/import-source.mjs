import { runnerImport } from 'vite'

const options = { configFile: false, logLevel: 'error' }

/** Imports a source of TypeScript and what it imports, scripts of Redis and pages too. */
export async function importSource({ pathname }) {
  const assets = new URL('../build/page-assets.ts', import.meta.url)
  const { module } = await runnerImport(assets.pathname, options)
  return (await runnerImport(pathname, { ...options, plugins: [module.pageAssetsOfTests] })).module
}
