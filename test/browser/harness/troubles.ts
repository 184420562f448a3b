import type { BrowserContext, Request } from 'playwright-core'

/**
 * Collects what a user would not see but a page must not do: messages on the console, errors of scripts, requests that
 * fail, and requests to another origin. Call it before the first page opens.
 *
 * @returns the list, one line each, in which later troubles appear too
 */
export function troublesOf(context: BrowserContext, origin: string): readonly string[] {
  const troubles: string[] = []
  const refused = new Set<string>()
  context.on('response', (response) => {
    const request = response.request()
    // Firefox calls a stream of events a document.
    const isAsked = /fetch|eventsource|document/.test(request.resourceType())
    const isForm = /^4(09|22)$/.test(`${response.status()}`) && isAsked
    if (response.status() >= 400 && (isForm || request.isNavigationRequest())) refused.add(response.url())
  })
  context.on('console', (message) => {
    // Chromium says so of every page with such a status; a form with an error has one, sent by a program too.
    const isRefusedPage = /^Failed to load resource.* status of 4\d\d/.test(message.text())
    if (isRefusedPage && refused.has(message.location().url)) return
    troubles.push(`console ${message.type()}: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => {
    const text = `${error.error()}`
    // Firefox wants an icon for a raw file too, which loads nothing.
    const isIcon = /blocked the loading of a resource .*favicon\.ico/.test(text)
    // Firefox says so of a stream of events that is refused.
    const [, stream = ''] = /establish a connection to the server at (\S+)\.$/.exec(text) ?? []
    if (!isIcon && !refused.has(stream)) troubles.push(`error in a script: ${text}`)
  })
  context.on('requestfailed', (request) => {
    if (!wasLetGo(request)) troubles.push(`request failed: ${request.url()}: ${request.failure()?.errorText}`)
  })
  context.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url())
    if (asked !== origin && !/^(blob|about):$/.test(protocol)) troubles.push(`request elsewhere: ${request.url()}`)
  })
  return troubles
}

/** Leaving a page ends its requests, a stream of events among them; a download is no page. */
function wasLetGo(request: Request): boolean {
  return /ERR_ABORTED|NS_(BINDING_ABORTED|ERROR_ABORT)/.test(request.failure()?.errorText ?? '')
}
