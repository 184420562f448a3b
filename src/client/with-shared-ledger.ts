import { createSharedLedger } from '../pacing/quota-log/shared-ledger.ts'
import { stateFolder } from '../system/user-folders.ts'
import { optionalParts } from './optional-parts.ts'

optionalParts.createSharedLedger = ({ folder = stateFolder(process.env), ...account }) =>
  createSharedLedger({ ...account, folder })

export {
  createSharedLedger,
  type LedgerProblem,
  type SharedLedgerOptions,
} from '../pacing/quota-log/shared-ledger.ts'
