import { version } from '../../package.json'

/** How this library names itself to the service. */
export const productToken = `filehost/${version} node/${process.versions.node}`
