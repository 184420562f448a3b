import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Upload } from '../index.ts'
import { openDatabase } from '../store/sqlite.ts'
import { uploadTables } from '../store/upload-tables.ts'
import { accountAddress } from '../system/account-hash.ts'
import { type Environment, stateFolder } from '../system/environment.ts'

/** Where this machine keeps what it has uploaded. */
export function uploadsPath(env: Environment): string {
  return join(stateFolder(env), 'uploads.db')
}

/** The name under which an upload is shown; null where none is known. */
export type NameOf = (upload: Pick<Upload, 'slug' | 'title'>) => string | null

const ofAddress = 'SELECT slug, name FROM upload JOIN account ON key_hash = account WHERE address = ?'

/**
 * Names uploads by the title that the service gives, else by the file that this machine uploaded. A slug is unique at its
 * service, so a name is found under every key of the address. The store is opened at the first upload without a title.
 */
export function createNameOf(baseUrl: string, env: Environment): NameOf {
  let find: ((slug: string) => unknown) | undefined
  const open = () => {
    const address = accountAddress(baseUrl)
    const statement = openNames(env)?.prepare(`${ofAddress} AND slug = ?`)
    return (slug: string) => statement?.get(address, slug)?.['name']
  }
  return ({ slug, title }) => {
    if (title) return title
    try {
      find ??= open()
      // Standard input may have been sent without a name.
      return String(find(slug) ?? '') || null
    } catch {
      // What is shown of uploads does not need the names of a file that cannot be read.
      return null
    }
  }
}

function openNames(env: Environment): DatabaseSync | undefined {
  const path = uploadsPath(env)
  return existsSync(path) ? openDatabase(path, uploadTables) : undefined
}
