// What `fh upload` of a small file costs beside what its state folder remembers: nothing, 100,000 contents, and a batch that
// has just ended.
// npm run bench -- history [--contents=100000] [--batch=4000]
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { measure } from './measure.mjs'
import { nodes, versionOf } from './nodes.mjs'
import { writePictures } from './pictures.mjs'
import { fh, option, startService } from './service.mjs'

const ROUNDS = 10

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const service = await startService(['--no-quota', '--set', 'thumbnail=never'], { env: { HOME: folder } })
  try {
    const [{ path: small }] = await writePictures(folder, 1)
    const stateOf = (name) => join(folder, `state-${name}`)
    const environment = (name) => ({
      HOME: folder,
      ...service.env,
      FH_LIMITS: 'none',
      FH_STATE_DIR: stateOf(name),
    })
    const upload = (node, name) => ({ command: [node, fh, 'upload', '--force', small], env: environment(name) })
    const unlike = async (name) => {
      await rm(stateOf('now'), { recursive: true, force: true })
      await cp(stateOf(name), stateOf('now'), { recursive: true })
    }
    const count = { contents: Number(option('contents', 100_000)), batch: Number(option('batch', 4_000)) }
    // Each writes its own state folder once, so that its layout is there.
    for (const name of ['none', 'contents']) measure([upload(process.execPath, name)], 1)
    remember(join(stateOf('contents'), 'uploads.db'), count.contents)
    const pictures = join(folder, 'pictures')
    await mkdir(pictures)
    await writePictures(pictures, count.batch)
    const batch = [fh, 'upload', '--quiet', '--recursive', pictures]
    const { status, stderr } = spawnSync(process.execPath, batch, {
      env: { ...process.env, ...environment('batch') },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`The batch failed: ${stderr}`)
    const later = async (node) => {
      const best = { none: Number.POSITIVE_INFINITY, batch: Number.POSITIVE_INFINITY }
      for (let round = 0; round < ROUNDS; round += 1) {
        // The first upload after a batch changes what the folder remembers of it.
        for (const name of ['none', 'batch']) {
          await unlike(name)
          const [{ cpuMs }] = measure([upload(node, 'now')], 1)
          best[name] = Math.min(best[name], cpuMs)
        }
      }
      return best
    }
    for (const node of nodes) {
      const soon = await later(node)
      const [none, contents] = measure(
        ['none', 'contents'].map((name) => upload(node, name)),
        ROUNDS,
      )
      console.log(`\nNode ${versionOf(node)}`)
      console.table([
        row(`${count.contents} contents`, none.cpuMs, contents.cpuMs, 1.1),
        row(`a batch of ${count.batch} has just ended`, soon.none, soon.batch, 1.1),
      ])
    }
  } finally {
    await service.end()
    await rm(folder, { recursive: true })
  }
}

/** Records uploads as if so many files had been uploaded before: of the one that the folder has, the rest as copies. */
function remember(path, count) {
  const database = new DatabaseSync(path)
  database.exec(`INSERT INTO upload (account, slug, size, sha256, name, at, seen_at, is_listed)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    SELECT 1, 's' || i, 1000 + i % 50000, lower(hex(randomblob(32))), 'photo-' || i || '.jpg', 0, 0, 1 FROM n`)
  database.close()
}

function row(what, floor, cost, goal) {
  return {
    'it remembers': what,
    'nothing (floor)': `${Math.round(floor)} ms`,
    fh: `${Math.round(cost)} ms`,
    ratio: Number((cost / floor).toFixed(2)),
    ...(goal !== undefined && { goal: `≤ ${goal}` }),
  }
}
