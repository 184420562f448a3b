import { hash } from 'node:crypto'
import { jpegBytes } from '../helpers/media.ts'
import { fileForm } from '../helpers/multipart-form.ts'
import type { Rig } from '../helpers/rig.ts'

/** What the clients know for certain, and what they do not. */
export interface Ledger {
  /** The digest of each upload that was acknowledged and whose deletion was never asked for, by slug. */
  readonly kept: Map<string, string>
  /** Slugs whose deletion was acknowledged. */
  readonly deleted: Set<string>
  /** Slugs whose deletion was asked for and never answered. */
  readonly doubtful: Set<string>
  /** Units of all requests that were acknowledged. */
  units: number
  /** Digests of all files ever sent. */
  readonly sent: Set<string>
}

export function createLedger(): Ledger {
  return { kept: new Map(), deleted: new Set(), doubtful: new Set(), units: 0, sent: new Set() }
}

interface Service {
  readonly base_url: string
  readonly api_key: string
}

/** Uploads and sometimes deletes, one request at a time, until the service is killed. */
export async function keepBusy({ base_url, api_key }: Service, ledger: Ledger, random: () => number): Promise<void> {
  const call = (path: string, init: RequestInit) =>
    fetch(`${base_url}${path}`, { ...init, headers: { ...init.headers, 'X-Api-Key': api_key } })

  const upload = async () => {
    const bytes = jpegBytes(random() < 0.1 ? 3_000_000 : 100 + Math.floor(random() * 60_000))
    bytes.writeDoubleBE(random(), 8)
    const digest = hash('sha256', bytes)
    ledger.sent.add(digest)
    const response = await call('/api/upload', { method: 'POST', ...fileForm(bytes) })
    const { upload } = (await response.json()) as { upload: { slug: string } }
    if (response.status !== 201) throw new Error(`An upload was answered with ${response.status}`)
    ledger.kept.set(upload.slug, digest)
    ledger.units += 10
  }
  const remove = async (slug: string) => {
    ledger.kept.delete(slug)
    ledger.doubtful.add(slug)
    const response = await call(`/api/uploads/${slug}`, { method: 'DELETE' })
    await response.json()
    if (response.status !== 200) throw new Error(`A deletion was answered with ${response.status}`)
    ledger.doubtful.delete(slug)
    ledger.deleted.add(slug)
    ledger.units += 3
  }

  try {
    for (;;) {
      const [slug] = ledger.kept.keys()
      if (slug !== undefined && random() < 0.2) await remove(slug)
      else await upload()
    }
  } catch (error) {
    // A killed service breaks its connections; any other error fails the test.
    if (!(error instanceof TypeError)) throw error
  }
}

const plenty = 'burst=1000000,minute=1000000,hour=1000000,day=1000000'

/** Starts an emulator with a data folder below the rig's. */
export async function startEmulator(rig: Rig, port = '0') {
  const running = rig.start(['emulate', '--data', 'data', '--json', '-q', '--port', port, '--quota', plenty])
  return { running, ready: JSON.parse(await running.printed('stdout', /\n/)) }
}
