import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Of conf: its check by a schema, its migrations, its watch on the file and its choice of a folder. Of form-data: the
 * types of names, for parts that have none; the measuring of streams; and the name that its forms have in
 * `Object.prototype.toString`.
 */
const unused = /^(ajv\/dist\/2020\.js|ajv-formats|semver|debounce-fn|env-paths|mime-types|asynckit|es-set-tostringtag)$/

/** Leaves out what bundled packages import for options that are not used here (docs/decisions/010-packages.md). */
export const unusedParts: Plugin = {
  name: 'unused-parts',
  setup(build) {
    build.onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'unused' }))
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = () => {}' }))
  },
}
