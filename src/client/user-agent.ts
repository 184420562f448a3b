import { version } from '../../package.json'

const productToken = `filehost/${version} node/${process.versions.node}`

/** The User-Agent header: the program that uses the library, then the library itself. */
export function userAgentHeader(program: string | undefined): string {
  return program === undefined ? productToken : `${program} ${productToken}`
}
