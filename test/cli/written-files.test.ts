import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { HELD_MS, heldClock } from '../helpers/held-clock.ts'
import { jpegBytes } from '../helpers/media.ts'
import { filesIn } from '../helpers/temporary-folder.ts'
import { until } from '../helpers/until.ts'

/** The rows of the table "What is stored, and where", as patterns of the paths that they name. */
function namedInSecurity(): readonly RegExp[] {
  const page = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'))
  const names = rows.flatMap((row) =>
    Array.from(row.matchAll(/`([^`\s]+\.\w+|[\w<>/-]+\/|[\w-]+\*)`/g), ([, name = '']) => name),
  )
  return names.map(
    (name) =>
      new RegExp(
        name
          .replaceAll('.', '[.]')
          .replace(/<hash>/, '\\w{16}')
          .replace(/<n>|<name>|[*]/g, '[\\w-]+'),
      ),
  )
}

test('SECURITY.md names every file that uploads, deletions and settings leave, and the copy of standard input', async () => {
  const clock = heldClock()
  const { fh, start, write, home, temporary, emulator } = await emulatedRig({
    clock,
    env: { FH_LIMITS: 'minute=1000000' },
  })
  for (let number = 0; number < 160; number += 1) await write(`in/${number}.jpg`, jpegBytes(600 + number))
  await fh(['config', 'set', 'retries', '3'])
  await fh(['upload', '-r', 'in', '-q'])
  const slugs = (await fh(['list', '--fields', 'slug'])).stdout.trim().split('\n')
  await fh(['delete', '--yes', slugs[0] ?? ''])
  emulator.control.faults.add({ match: { method: 'POST' }, times: 1, action: { type: 'delay', ms: HELD_MS } })
  const piped = start(['upload', '-', '--name', 'a.jpg'], { stdin: jpegBytes(500) })
  await until(() => filesIn(temporary).length > 0)
  const written = [...filesIn(home), ...filesIn(temporary)].map((path) => path.replaceAll('\\', '/'))
  clock.release()
  await piped.ended
  const named = namedInSecurity()
  expect(written.filter((path) => !named.some((name) => name.test(path)))).toEqual([])
  const expected = ['config.json', 'uploads.db', '/fh-spool-', '/quota.db']
  expect(expected.filter((name) => !written.some((path) => path.includes(name)))).toEqual([])
})

test.each(['uploads.db-journal', 'uploads.db.damaged-1', 'runs/0123456789ab.lock'])(
  'SECURITY.md names %s, of runs at work, or with a damaged record',
  (path) => {
    expect(namedInSecurity().some((name) => name.test(`/home/.local/state/fh/${path}`))).toBe(true)
  },
)
