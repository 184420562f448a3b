import { optionalParts } from './optional-parts.ts'
import { undiciTransport } from './transports/undici-transport.ts'

optionalParts.undiciTransport = undiciTransport

export { type UndiciTransportOptions, undiciTransport } from './transports/undici-transport.ts'
