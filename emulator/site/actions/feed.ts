import { feedPage } from '../pages/feed.ts'
import type { Place } from '../place.ts'

/** Everyone's latest files; each one shown to a visitor adds a feed view to its account (spec 2.3). */
export const feedPlace: Place = {
  get({ visitor }, { service: { feed } }) {
    const uploads = feed.latest()
    if (visitor.isLooking) feed.countViews(uploads)
    return feedPage(visitor, uploads)
  },
}
