import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Options } from 'tsup'
import { sourcesOfPages } from './page-assets.ts'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * What is bundled is passed on, so its licences are too.
 *
 * @param file gets the licences of all bundled packages
 */
export function licences(file: string): Plugin {
  return {
    name: 'licences',
    setup(build) {
      build.initialOptions.metafile = true
      build.onEnd(async ({ metafile }) => {
        const inputs = [...Object.keys(metafile?.inputs ?? {}), ...sourcesOfPages]
        const packages = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
        const texts = await Promise.all([...new Set(packages)].sort().map(licenceOf))
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, texts.join(`\n${'-'.repeat(80)}\n\n`))
      })
    },
  }
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : await readFile(`${folder}/${file}`, 'utf8')
  return `${name} ${version} (${license})\n\n${text}`
}
