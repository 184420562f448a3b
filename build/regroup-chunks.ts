import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { transform } from 'esbuild'
import { type GetModuleInfo, rollup } from 'rollup'

/**
 * Turns the bundler's chunks into files that Node loads faster (docs/decisions/008-chunks-made-for-start-up.md):
 * CommonJS, since Node's loader of ES modules takes a good part of a short process; and in few files, since the bundler
 * makes a chunk for every set of commands that share code. The code that is always loaded with `start-run` becomes one
 * file, that of `execution` another.
 *
 * @param folder holds `cli.js` and its chunks in `cli/`; afterwards `cli.cjs` and its files there
 */
export async function regroupChunks(folder: string): Promise<void> {
  const entry = resolve(folder, 'cli.js')
  const chunks = resolve(folder, 'cli')
  const names = (await readdir(chunks)).filter((name) => name.endsWith('.js'))
  const chunkOf = (module: string) => join(chunks, names.find((name) => name.startsWith(`${module}-`)) ?? '')
  const bundle = await rollup({
    input: { cli: entry },
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    treeshake: false,
    preserveEntrySignatures: false,
    logLevel: 'silent',
  })
  const group = (id: string, { getModuleInfo }: { readonly getModuleInfo: GetModuleInfo }) => {
    const isIn = (file: string) => loadedWith(file, getModuleInfo).has(id)
    // With all that it shares with others, for the version is in that file alone.
    if (isIn(entry)) return 'start'
    return ['start-run', 'execution'].find((module) => isIn(chunkOf(module)))
  }
  await bundle.write({
    dir: folder,
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: 'cli.cjs',
    chunkFileNames: 'cli/[name]-[hash].cjs',
    manualChunks: group,
    plugins: [{ name: 'late-node-modules', renderChunk: (code) => inAscii(loadedAtFirstUse(code)) }],
  })
  await bundle.close()
  await Promise.all([entry, ...names.map((name) => join(chunks, name))].map((file) => rm(file)))
  // undici; conf with the JSON schema validator that it brings; the glob matcher; the library that draws bars.
  for (const library of ['undici-', 'source-', 'dist-', 'bar-progress-']) await removeBlanks(chunks, library)
}

/** Modules that Node has loaded before the program starts. */
const loadedByNode = /^node:(async_hooks|buffer|events|fs|path|process|timers|url|util)$/

/**
 * Makes a file load each of Node's other modules when it first uses it: `fh stats` loads half of those that it names. What
 * was used is kept: to look a module up again costs an emulator more than most steps of a request.
 */
function loadedAtFirstUse(code: string): string {
  return code.replace(/^(?:var (\w+) = )?require\('(node:[\w/]+)'\);$/gm, (whole, name, path) => {
    if (loadedByNode.test(path)) return whole
    return name === undefined
      ? ''
      : `var ${name} = new Proxy({}, { get: (used, name) => (used[name] ??= require('${path}')[name]) });`
  })
}

/** V8 keeps and reads ASCII in half the memory. */
function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Takes comments and blanks out of large files that hold little but a library's code. Such files are a third of what
 * is bundled into `fh`. The names stay, for stack traces.
 */
async function removeBlanks(folder: string, prefix: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix))
  for (const file of names.map((name) => join(folder, name))) {
    const { code } = await transform(await readFile(file, 'utf8'), { minifyWhitespace: true, legalComments: 'none' })
    await writeFile(file, code)
  }
}

/** A file and its static imports, direct and indirect. */
function loadedWith(file: string, getModuleInfo: GetModuleInfo, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const id of getModuleInfo(file)?.importedIds ?? []) loadedWith(id, getModuleInfo, seen)
  return seen
}
