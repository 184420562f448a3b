import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import type { Options } from 'tsup'
import type { Plugin as VitePlugin } from 'vite'

type TsupPlugin = NonNullable<Options['esbuildPlugins']>[number]

/** `./page.ts?script` is a program for browsers, `./site.css?text` a stylesheet or any other text. */
const asset = /^(.*)\?(?:script|text)$/

/** Versions that understand every CSS feature of the pages: nothing is rewritten for older ones. */
const browsers = ['chrome123', 'firefox120', 'safari17.5']

/** Text that pages send to browsers: a script with what it imports, a stylesheet, or a file as it is. */
interface PageAsset {
  readonly text: string
  /** Absolute paths of the sources. */
  readonly sources: readonly string[]
}

/** What page assets are made of, packages too, as paths from here: the build sees only the texts. */
export const sourcesOfPages = new Set<string>()

async function pageAsset(file: string): Promise<PageAsset> {
  if (!/\.(ts|css)$/.test(file)) return { text: await readFile(file, 'utf8'), sources: [file] }
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    bundle: true,
    // The package says that its modules have no side effects; a script for browsers has little else.
    ignoreAnnotations: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    platform: 'browser',
    target: browsers,
    legalComments: 'none',
    logLevel: 'silent',
  })
  const sources = Object.keys(metafile.inputs)
  for (const source of sources) sourcesOfPages.add(source)
  return { text: outputFiles[0]?.text ?? '', sources: sources.map((source) => resolve(source)) }
}

/** Makes the built program carry the texts of page assets. */
export const pageAssets: TsupPlugin = {
  name: 'page-assets',
  setup({ onResolve, onLoad }) {
    // With what follows the name, so that tsup does not take a stylesheet for one of the program.
    // The bundle keeps the path, which is therefore not the one of this machine.
    onResolve({ filter: asset }, ({ path, resolveDir }) => ({
      path: relative('.', resolve(resolveDir, path)),
      namespace: 'page-asset',
    }))
    onLoad({ filter: asset, namespace: 'page-asset' }, async ({ path }) => {
      const { text, sources } = await pageAsset(path.replace(asset, '$1'))
      return { contents: text, loader: 'text', watchFiles: [...sources] }
    })
  },
}

/** Gives tests, which import the sources, the same texts. Vite takes only names of scripts for scripts. */
export const pageAssetsOfTests: VitePlugin = {
  name: 'page-assets',
  enforce: 'pre',
  resolveId(path, importer) {
    if (!asset.test(path) || importer === undefined) return undefined
    return `\0page-asset:${resolve(dirname(importer), path.replace(asset, '$1'))}.js`
  },
  async load(id) {
    const file = /^\0page-asset:(.*)\.js$/.exec(id)?.[1]
    if (file === undefined) return undefined
    const { text, sources } = await pageAsset(file)
    for (const source of sources) this.addWatchFile(source)
    return `export default ${JSON.stringify(text)}`
  },
}
