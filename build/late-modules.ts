import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** What bundled packages load as they start and seldom use: commander to run programs, form-data to send its forms. */
const seldomUsed = /^(node:)?(child_process|https)$/

/**
 * Spares the start of fh what bundled packages load and it does not need. Of Node's own modules some are loaded when
 * something of them is used; and form-data, which is always told a file's type, does without the 180 kB of media types
 * that it would look it up in. What measures text takes as long to start as fh itself, and ASCII needs no measuring.
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
    build.onResolve({ filter: /^string-width$/ }, ({ path, kind, resolveDir }) =>
      kind === 'import-statement' ? { path, namespace: 'called-late', pluginData: resolveDir } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'called-late' }, ({ path, pluginData: resolveDir }) => ({
      contents: `module.exports = (...given) => require('${path}').default(...given)`,
      resolveDir,
    }))
    build.onResolve({ filter: /^mime-types$/ }, ({ path }) => ({ path, namespace: 'left-out' }))
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'exports.lookup = () => false' }))
  },
}
