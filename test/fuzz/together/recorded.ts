import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../../../src/index.ts'
import { SqliteUploads } from '../../../src/store/sqlite-uploads.ts'
import { accountAddress, accountHash } from '../../../src/system/account-hash.ts'
import { bytesOf, contentName } from '../files.ts'
import { BASE_URL } from '../killable-run.ts'
import type { ScenarioFile } from '../scenario.ts'

/** What a state folder knows of each content: pairs of content name and slug. */
export async function recordedSlugs(
  files: readonly ScenarioFile[],
  folder: string,
  { clock, apiKey }: { readonly clock: Clock; readonly apiKey: string },
): Promise<readonly (readonly [content: string, slug: string])[]> {
  const account = { address: accountAddress(BASE_URL), keyHash: accountHash(BASE_URL, apiKey) }
  const store = new SqliteUploads({
    path: join(folder, 'uploads.db'),
    account,
    clock,
    onProblem() {},
  })
  const pairs: (readonly [content: string, slug: string])[] = []
  for (const file of files) {
    const sha256 = createHash('sha256').update(bytesOf(file)).digest('hex')
    for (const { slug } of await store.known({ size: file.size, sha256 })) pairs.push([contentName(file), slug])
  }
  await store.close()
  return pairs
}
