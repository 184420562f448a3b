import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { ServiceModel } from './model.ts'
import { createBooks } from './quota-models.ts'

/**
 * How long the last of so many uploads has to wait for its charge, for somebody who knows the kinds, the limits and
 * the clock of the service, and whose uploads take no time: each is charged as soon as every window has room.
 *
 * @param startAt epoch milliseconds
 */
export function optimumMs(model: Pick<ServiceModel, 'kinds' | 'limits'>, files: number, startAt: number): number {
  const books = createBooks(model)
  let now = Math.ceil(startAt)
  for (let file = 0; file < files; file += 1) {
    for (let refusing = books.refusing(10, now); refusing !== undefined; refusing = books.refusing(10, now)) {
      // At least a millisecond, should a window's rounding promise room that is not quite there.
      now = Math.max(books.fitsAt(refusing, 10, now), now + 1)
    }
    books.charge(windowNames, 10, now)
  }
  return now - startAt
}
