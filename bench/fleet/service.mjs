// The emulator, and what it has to say afterwards of what twenty runners did.
import { startService as start } from '../service.mjs'

/** @param {readonly string[]} flags of `fh emulate` */
export async function startService(belongings, flags) {
  const service = await start(flags)
  belongings.add(service.end)
  return {
    ...service,
    /** Every upload is answered so much later, so that a kill hits it under way. */
    delayUploads: (ms) =>
      service.control('/faults', 'PUT', [
        { match: { path: '/api/upload' }, times: null, action: { type: 'delay', ms } },
      ]),
    /** @returns the requests, oldest first, what the service has stored by content, and what was refused */
    async outcome() {
      const { requests } = await service.control('/requests')
      const { records } = await service.control('/state')
      const copies = new Map()
      for (const { sha256 } of records.uploads) copies.set(sha256, (copies.get(sha256) ?? 0) + 1)
      return { requests, copies, refusals: requests.filter(({ status }) => status === 429).length }
    },
  }
}
