import type { Ledger } from '../pacing/ledger.ts'
import type { SharedLedgerOptions } from '../pacing/quota-log/shared-ledger.ts'
import type { PathDownload } from './download/part-file.ts'
import type { Transport } from './transports/transport.ts'

/** Without a folder: that of the user's state. */
type ClientLedgerOptions = Omit<SharedLedgerOptions, 'folder'> & { readonly folder: string | undefined }

/**
 * Parts that every client can use, and that add themselves when their files are loaded. A bundler leaves out the files
 * that its program does not name, so a client asks here (docs/decisions/011-what-bundlers-leave-out.md).
 */
export const optionalParts: {
  undiciTransport?: () => Transport
  downloadToPath?: (path: string, options: PathDownload) => Promise<boolean>
  createSharedLedger?: (options: ClientLedgerOptions) => Ledger
} = {}
