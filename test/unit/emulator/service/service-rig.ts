import { onTestFinished } from 'vitest'
import type { Service } from '../../../../emulator/service/service.ts'
import { serviceOn } from './sign-in/service-parts.ts'

/** A service in memory with two accounts. */
export function serviceRig() {
  const { service, storage, settings, clock } = serviceOn()
  onTestFinished(() => storage.close())
  for (const email of ['one@example.com', 'two@example.com']) service.accounts.create({ email })
  return { service, settings, clock, records: storage.records }
}

/** Adds synthetic uploads a second apart, the first at this instant, and returns their slugs, oldest first. */
export function addUploads(service: Service, accountId: number, count: number, firstCreatedAt = 0): readonly string[] {
  const batch = { count, mimeType: 'image/png', sizeBytes: 10, firstCreatedAt, intervalMs: 1_000, maxSlugs: count }
  return service.uploads.addSynthetic(accountId, batch)
}

/** The value of a result that should not be refused. */
export function accepted<Value>(result: { readonly ok: boolean; readonly value?: Value }): Value {
  if (result.value === undefined) throw new Error(`Refused: ${JSON.stringify(result)}`)
  return result.value
}


/** The result that is refused for this reason. */
export function refused(kind: string, slug?: string) {
  return { ok: false, refusal: { kind, ...(slug !== undefined && { slug }) } }
}
