import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { rollup } from 'rollup'

/**
 * Puts what is always loaded together into one file each. The bundler makes a chunk of every combination of commands
 * that share some code, and every file costs Node half a millisecond; but whatever the command, its code is loaded
 * beside that of `run-cli` and of `execution`.
 *
 * @param folder holds `cli.js` and its chunks in `cli/`
 */
export async function regroupChunks(folder: string): Promise<void> {
  const entry = resolve(folder, 'cli.js')
  const chunks = resolve(folder, 'cli')
  const names = (await readdir(chunks)).filter((name) => name.endsWith('.js'))
  const chunkOf = (module: string) => join(chunks, names.find((name) => name.startsWith(`${module}-`)) ?? '')
  const first = await staticImports(entry)
  const running = without(await staticImports(chunkOf('run-cli')), first)
  const executing = without(await staticImports(chunkOf('execution')), first, running)
  const bundle = await rollup({
    input: { cli: entry },
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    treeshake: false,
    logLevel: 'silent',
  })
  const group = (id: string) => {
    if (first.has(id)) return id === entry ? undefined : 'start'
    return running.has(id) ? 'run-cli' : executing.has(id) ? 'execution' : undefined
  }
  const output = { format: 'esm', entryFileNames: 'cli.js', chunkFileNames: 'cli/[name]-[hash].js' } as const
  await Promise.all(names.map((name) => rm(join(chunks, name))))
  await bundle.write({ ...output, dir: folder, manualChunks: group })
  await bundle.close()
}

/** A file and all that it loads before it runs. */
async function staticImports(file: string, seen = new Set<string>()): Promise<ReadonlySet<string>> {
  if (seen.has(file)) return seen
  seen.add(file)
  const code = await readFile(file, 'utf8')
  for (const [, path = ''] of code.matchAll(/^(?:import|export)[^'"]*?["'](\.[^'"]+)["']/gm)) {
    await staticImports(resolve(dirname(file), path), seen)
  }
  return seen
}

function without(files: ReadonlySet<string>, ...others: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set([...files].filter((file) => !others.some((other) => other.has(file))))
}
