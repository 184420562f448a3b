import { checkOptions } from '../checks/options.ts'
import { clientOver, site } from './client.ts'
import { downloadUpload } from './download/download.ts'
import { type Client, type ClientOptions, clientOptions, clientWords } from './options.ts'
import { openRemoteFile } from './sources/remote-file.ts'
import { undiciTransport } from './transports/undici-transport.ts'

/**
 * Creates a client of one account.
 *
 * @throws TypeError for an unknown option, and for an unusable base URL or key; RangeError for a number out of range
 */
export function createClient(options: ClientOptions): Client {
  checkOptions('createClient', options, clientOptions, clientWords)
  const client = clientOver(options.transport ?? undiciTransport(), options, { openUrl: openRemoteFile })
  const { [site]: access, show } = client
  return { ...client, download: (slug, to, given) => downloadUpload({ ...access, show }, slug, to, given) }
}
