import { checkOptions } from '../checks/options.ts'
import { clientOver } from './client.ts'
import { type Client, type ClientOptions, clientOptions, clientWords } from './options.ts'
import { undiciTransport } from './transports/undici-transport.ts'

/**
 * Creates a client of one account.
 *
 * @throws TypeError for an unknown option, and for an unusable base URL or key; RangeError for a number out of range
 */
export function createClient(options: ClientOptions): Client {
  checkOptions('createClient', options, clientOptions, clientWords)
  return clientOver(options.transport ?? undiciTransport(), options)
}
