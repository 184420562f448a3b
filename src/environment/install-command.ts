import { existsSync } from 'node:fs'

/**
 * The command that installs an optional package where this one finds it: in its project, beside it in the global folder,
 * or with it for one run of npx. The binary finds none, so there it installs the package of `fh` too.
 *
 * @param here the URL of a file of this package
 */
export function installCommand(name: string, here: string = import.meta.url): string {
  if (here.startsWith('binary:')) return `npm i -g filehost ${name}`
  const [root = '', inside] = here.split('/node_modules/')
  if (root.includes('/_npx/')) return `npx -p filehost -p ${name} fh`
  // A project has a package.json beside its node_modules; the folder of global packages has none.
  const isGlobal = inside !== undefined && !existsSync(new URL(`${root}/package.json`))
  return `npm i ${isGlobal ? '-g ' : ''}${name}`
}
