import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import type { Ended } from '../helpers/rig.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'
import { between, createRandom } from '../pacing/simulation/random.ts'
import { sampleSeed } from '../sampling/sample.ts'

const FILES = 60
const RUNS = 3
const KILLS = 20

test(
  '20 kill -9 of three runs with one folder lose no file, and none is stored twice',
  takesLong(
    120,
    'it starts and kills dozens of processes, and what a kill leaves is looked for again after five seconds',
  ),
  async () => {
    const rig = await emulatedRig({ env: { FH_LIMITS: 'none' } })
    const { control } = rig.emulator
    const random = createRandom(sampleSeed)
    for (let number = 0; number < FILES; number += 1) {
      await rig.write(`in/p${number}.jpg`, Buffer.from(jpegBytes(500 + (number % 7)).fill(number, 4)))
    }
    control.faults.add({ match: { method: 'POST' }, times: 100_000, action: { type: 'delay', ms: 60 } })
    let kills = 0
    async function runUntilDone(): Promise<Ended> {
      for (;;) {
        const running = rig.start(['upload', '-r', 'in', '--json'], { stdin: '' })
        const isToDie = kills < KILLS
        if (isToDie) {
          kills += 1
          await Promise.race([sleep(between(random, [150, 900])), running.ended])
          running.child.kill('SIGKILL')
        }
        const ended = await running.ended
        if (ended.signal === null) return ended
      }
    }
    const ends = await Promise.all(Array.from({ length: RUNS }, runUntilDone))
    expect([kills, ends.map(({ code }) => code)]).toEqual([KILLS, [0, 0, 0]])
    const records = ends.map(({ stdout }) => JSON.parse(stdout) as { file: string; upload: { direct_url: string } }[])
    expect(records.map(({ length }) => length)).toEqual(Array(RUNS).fill(FILES))
    expect(control.health().uploads).toBe(FILES)
    for (const { file, upload } of records.flat()) {
      const bytes = Buffer.from(await (await fetch(upload.direct_url)).arrayBuffer())
      expect(bytes.equals(await readFile(join(rig.folder, file)))).toBe(true)
    }
    const uploads = uploadsDb(rig.home)
    expect(uploads.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect([uploads.rows('SELECT * FROM item'), uploads.rows('SELECT slug FROM upload').length]).toEqual([[], FILES])
  },
)
