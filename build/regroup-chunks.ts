import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type GetModuleInfo, rollup } from 'rollup'

/**
 * Makes of the bundler's chunks what Node starts fastest with.
 *
 * They become CommonJS: Node's loader of ES modules is a good part of a short process's time.
 *
 * And what is always loaded together becomes one file. The bundler makes a chunk of every combination of commands that
 * share some code, and every file costs Node time; but whatever the command, its code is loaded beside that of `run-cli`
 * and of `execution`.
 *
 * @param folder holds `cli.js` and its chunks in `cli/`, and then `cli.cjs` and its own there
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
    logLevel: 'silent',
  })
  const group = (id: string, { getModuleInfo }: { readonly getModuleInfo: GetModuleInfo }) => {
    const isIn = (file: string) => loadedWith(file, getModuleInfo).has(id)
    if (isIn(entry)) return id === entry ? undefined : 'start'
    return ['run-cli', 'execution'].find((module) => isIn(chunkOf(module)))
  }
  await bundle.write({
    dir: folder,
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: 'cli.cjs',
    chunkFileNames: 'cli/[name]-[hash].cjs',
    manualChunks: group,
  })
  await bundle.close()
  await Promise.all([entry, ...names.map((name) => join(chunks, name))].map((file) => rm(file)))
}

/** A file and all that it loads before it runs. */
function loadedWith(file: string, getModuleInfo: GetModuleInfo, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const id of getModuleInfo(file)?.importedIds ?? []) loadedWith(id, getModuleInfo, seen)
  return seen
}
