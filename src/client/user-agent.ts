import { version } from '../../package.json'

const productToken = `filehost/${version} node/${process.versions.node}`

/** How this library names itself to the service, behind the program that uses it. */
export function userAgentHeader(program: string | undefined): string {
  return program === undefined ? productToken : `${program} ${productToken}`
}
