import { readFile } from 'node:fs/promises'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * All but `redis` are native. The binary has SQLite of its own and `@redis/client`, for which `redis` would stand in; the
 * hash is optional there.
 */
const missing = /^(sharp|libsql|redis|@node-rs\/xxhash)$/

/** Makes the binary answer for packages that it cannot have as for packages that are not installed. */
export const missingParts: Plugin = {
  name: 'missing-parts',
  setup(build) {
    // What asks where it is: no package is found there (src/environment/install-command.ts).
    build.onLoad({ filter: /[\\/](install-command|thumbnail-tools)\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', "'binary:fh'"),
      loader: 'ts',
    }))
    build.onResolve({ filter: missing }, ({ path }) => ({ path, namespace: 'missing' }))
    build.onLoad({ filter: /.*/, namespace: 'missing' }, ({ path }) => ({
      contents: `throw Object.assign(new Error('${path} is not part of the binary'), { code: 'MODULE_NOT_FOUND' })`,
    }))
  },
}
