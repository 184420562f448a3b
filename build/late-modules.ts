import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Commander loads child_process for subcommands in files of their own, which fh has not; form-data loads https for
 * requests of its own, which fh never makes.
 */
const seldomUsed = /^(node:)?(child_process|https)$/

/**
 * Makes fh start faster (docs/decisions/008-chunks-made-for-start-up.md). Modules of Node that bundled packages seldom
 * use are loaded at their first use. string-width and form-data, which take as long to load as all of fh, are loaded at
 * their first call: ASCII is measured without one, and only uploads need the other.
 */
export const lateModules: Plugin = {
  name: 'late-modules',
  setup(build) {
    build.onResolve({ filter: seldomUsed }, ({ path, kind, namespace }) =>
      kind === 'require-call' && namespace === 'file' ? { path, namespace: 'late' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require('${path}')[name] })`,
    }))
    build.onResolve({ filter: /^(string-width|form-data)$/ }, ({ path, kind, resolveDir }) =>
      kind === 'import-statement' ? { path, namespace: 'called-late', pluginData: resolveDir } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'called-late' }, ({ path, pluginData: resolveDir }) => ({
      contents: `module.exports = function (...given) {
        const loaded = require('${path}')
        return new.target ? new loaded(...given) : loaded.default(...given)
      }`,
      resolveDir,
    }))
  },
}
