import { existsSync } from 'node:fs'

/** Set by the build of the binary. */
declare const FH_IS_BINARY: boolean | undefined

/** Whether this is `fh` as one file, which finds no package. */
export const isBinary = typeof FH_IS_BINARY !== 'undefined'

/**
 * The command that installs an optional package where this one finds it: in its project, beside it in the global folder,
 * or with it for one run of npx. A binary finds none: the command then installs the package of `fh` too.
 *
 * @param here the URL of a file of this package
 */
export function installCommand(name: string, here: string = import.meta.url): string {
  if (isBinary) return `npm i -g filehost ${name}`
  const [root = '', inside] = here.split('/node_modules/')
  if (root.includes('/_npx/')) return `npx -p filehost -p ${name} fh`
  // A project has a package.json beside its node_modules; the folder of global packages has none.
  const isGlobal = inside !== undefined && !existsSync(new URL(`${root}/package.json`))
  return `npm i ${isGlobal ? '-g ' : ''}${name}`
}
