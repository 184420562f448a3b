import { isBuiltin } from 'node:module'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Makes static imports of the modules of Node that bundled packages require: an ES module has no `require`, and a program
 * that is bundled with ours would end at its start with `Dynamic require of "util" is not supported`.
 */
export const nodeImports: Plugin = {
  name: 'node-imports',
  setup(build) {
    build.onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'node-import' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'node-import' }, ({ path }) => ({
      contents: `import whole from '${path}'\nmodule.exports = whole`,
    }))
  },
}
