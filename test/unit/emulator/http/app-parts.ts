import { onTestFinished } from 'vitest'
import { createFaultBook } from '../../../../emulator/faults/fault-book.ts'
import type { AppParts } from '../../../../emulator/http/app.ts'
import { createEtiquetteWatch } from '../../../../emulator/http/etiquette-watch.ts'
import { createExchangeLog } from '../../../../emulator/service/exchanges.ts'
import { serviceOn } from '../service/sign-in/service-parts.ts'

/** What an app is made of, in memory; its control API answers 404, and all is safe at once. */
export function appParts(): AppParts {
  const { service, storage, settings, clock } = serviceOn()
  onTestFinished(() => storage.close())
  return {
    service,
    settings,
    clock,
    faults: createFaultBook(),
    etiquette: createEtiquetteWatch(service),
    exchanges: createExchangeLog(),
    siteUrl: undefined,
    isDurable: false,
    control: async () => ({ status: 404, headers: {}, body: null }),
    flushed: async () => {},
    mark: () => 0,
    closing: new AbortController().signal,
  }
}
