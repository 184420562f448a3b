import { type HttpRequest, headerOf } from '../../http-types.ts'

/** Whether a person is about to see the answer: a HEAD, or a page fetched in advance, counts nothing and uses nothing up. */
export function isLooking(request: HttpRequest): boolean {
  const purpose = headerOf(request, 'sec-purpose') ?? headerOf(request, 'purpose') ?? ''
  return request.method === 'GET' && !purpose.includes('prefetch')
}
