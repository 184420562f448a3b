import type { FaultBook } from './faults/fault-book.ts'
import type { ExchangeLog } from './service/exchanges.ts'
import type { Service } from './service/service.ts'
import type { ServiceParts } from './service/service-parts.ts'

/** What an emulator is made of; each room names the parts that it needs. */
export interface EmulatorParts extends ServiceParts {
  readonly service: Service
  readonly faults: FaultBook
  readonly exchanges: ExchangeLog
  /** Where the website is, without a trailing slash; undefined means the origin of the request. */
  readonly siteUrl: string | undefined
  /** Resolves once what was changed is kept: clients hear of a change only then. */
  flushed(): Promise<void>
}
