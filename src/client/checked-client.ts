import { invalidValue } from '../checks/coded-error.ts'
import { checkOptions } from '../checks/options.ts'
import { kindOf, quoted } from '../checks/quoted.ts'
import { checkDestination } from './download/download-call.ts'
import {
  callOptions,
  downloadOptions,
  listOptions,
  reconcileOptions,
  requestOptions,
  uploadOptions,
  uploadWords,
} from './option-checks.ts'
import type { Client } from './options.ts'

/** The same client; it refuses wrong arguments, with the name of the call, before anything is sent. */
export function checkedClient(client: Client): Client {
  return {
    ...client,
    async reconcile(intents, options = {}) {
      if (!Array.isArray(intents)) {
        throw invalidValue(`client.reconcile takes a list of intents, but got ${kindOf(intents)}`)
      }
      checkOptions('client.reconcile', options, reconcileOptions)
      return await client.reconcile(intents, options)
    },
    async upload(source, options = {}) {
      checkOptions('client.upload', options, uploadOptions, uploadWords)
      return await client.upload(source, options)
    },
    async list(options = {}) {
      checkOptions('client.list', options, listOptions)
      return await client.list(options)
    },
    uploads(options = {}) {
      checkOptions('client.uploads', options, callOptions)
      return client.uploads(options)
    },
    async show(slug, options = {}) {
      checkSlug('client.show', slug)
      checkOptions('client.show', options, callOptions)
      return await client.show(slug, options)
    },
    async download(slug, destination, options = {}) {
      checkSlug('client.download', slug)
      checkDestination(destination)
      checkOptions('client.download', options, downloadOptions)
      return await client.download(slug, destination, options)
    },
    async delete(slug, options = {}) {
      checkSlug('client.delete', slug)
      checkOptions('client.delete', options, callOptions)
      await client.delete(slug, options)
    },
    async stats(options = {}) {
      checkOptions('client.stats', options, callOptions)
      return await client.stats(options)
    },
    async request(method, path, options = {}) {
      checkOptions('client.request', options, requestOptions)
      return await client.request(method, path, options)
    },
  }
}

function checkSlug(call: string, slug: unknown): void {
  if (typeof slug === 'string' && !slug.includes('://')) return
  const found = typeof slug === 'string' ? `the address ${quoted(slug)}` : kindOf(slug)
  throw invalidValue(`${call} takes a slug, but got ${found}${adviceFor(slug)}`)
}

function adviceFor(slug: unknown): string {
  if (Array.isArray(slug)) return ': call it once for each slug'
  if (typeof slug === 'string') return ': the slug is the last part of its path'
  return typeof Object(slug).slug === 'string' ? ': pass its slug' : ''
}
