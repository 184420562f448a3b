import { readFile } from 'node:fs/promises'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** sharp is native; and the binary has `@redis/client`, for which `redis` would stand in. */
const missing = /^(sharp|redis)$/

/** Bundles the client of Redis, and makes the binary answer for packages that it cannot have as for packages that are not installed. */
export const missingParts: Plugin = {
  name: 'missing-parts',
  setup(build) {
    // What asks where it is: no package is found there (src/environment/install-command.ts).
    build.onLoad({ filter: /[\\/](install-command|thumbnail-maker)\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', "'binary:fh'"),
      loader: 'ts',
    }))
    // A chunk of a CommonJS package has its names below `default` only; Node finds them.
    build.onResolve({ filter: /^@redis\/client$/ }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import' ? { path, namespace: 'named', pluginData: resolveDir } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'named' }, ({ path, pluginData: resolveDir }) => ({
      contents: `export { createClient } from '${path}'`,
      resolveDir,
    }))
    build.onResolve({ filter: missing }, ({ path }) => ({ path, namespace: 'missing' }))
    build.onLoad({ filter: /.*/, namespace: 'missing' }, ({ path }) => ({
      contents: `throw Object.assign(new Error('${path} is not part of the binary'), { code: 'MODULE_NOT_FOUND' })`,
    }))
  },
}
