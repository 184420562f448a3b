import { expect, test } from 'vitest'
import { findSiteRoute } from '../../../../emulator/site/site-routes.ts'

test.each([
  ['/', { page: 'place', place: 'landing', parameter: '' }],
  ['/i/abc', { page: 'place', place: 'file', parameter: 'abc' }],
  ['/i/a_b-C.jpg', { page: 'raw', slug: 'a_b-C', extension: 'jpg' }],
  ['/i/abc.tar.gz', { page: 'raw', slug: 'abc', extension: 'tar.gz' }],
  ['/t/abc', { page: 'thumbnail', slug: 'abc' }],
  ['/e/abc', { page: 'place', place: 'embed', parameter: 'abc' }],
])('the path %s leads to %j', (path, route) => {
  expect(findSiteRoute(path)).toEqual(route)
})

test.each(['/i', '/i/', '/i/.jpg', '/i/abc.', '/e/abc.jpg', '/I/abc'])('the website has nothing at %j', (path) => {
  expect(findSiteRoute(path)).toBeUndefined()
})
