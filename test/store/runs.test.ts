import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { isOnNetwork, Runs } from '../../src/store/runs.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const lockOf = (folder: string, run: string) => join(folder, 'runs', `${run}.lock`)

/** Another process that holds a run's lock until it is killed, though nothing in it refers to the run any more. */
async function anotherProcess(folder: string) {
  const source = `import { Runs } from ${JSON.stringify(new URL('../../src/store/runs.ts', import.meta.url).href)}
    console.log(new Runs(${JSON.stringify(folder)}).own())
    setInterval(gc, 1)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module-typescript', '-e', source])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return {
    run: String(line).trim(),
    pause: () => child.kill('SIGSTOP'),
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('a run lives while its process does, also while that is stopped, and no longer', async () => {
  const folder = temporaryFolder()
  const other = await anotherProcess(folder)
  const runs = new Runs(folder)
  expect(runs.lives(other.run)).toBe(true)
  other.pause()
  expect(runs.lives(other.run)).toBe(true)
  await other.kill()
  expect(runs.lives(other.run)).toBe(false)
})

test('two runs of one process see each other, and asking does not end a lock', () => {
  const folder = temporaryFolder()
  const [one, two, third] = [new Runs(folder), new Runs(folder), new Runs(folder)]
  const run = one.own()
  for (const asking of [one, two, third, two]) expect(asking.lives(run)).toBe(true)
  one.close()
  expect(two.lives(run)).toBe(false)
  expect(existsSync(lockOf(folder, run))).toBe(false)
})

test('a worker thread sees the run of its process', async () => {
  const folder = temporaryFolder()
  const runs = new Runs(folder)
  const source = `import { parentPort } from 'node:worker_threads'
    import { Runs } from ${JSON.stringify(new URL('../../src/store/runs.ts', import.meta.url).href)}
    parentPort.postMessage(new Runs(${JSON.stringify(folder)}).lives(${JSON.stringify(runs.own())}))`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
  expect(await once(worker, 'message')).toEqual([true])
  expect(new Runs(folder).lives(runs.own())).toBe(true)
})

test('a run whose file was removed takes its lock again', () => {
  const folder = temporaryFolder()
  const runs = new Runs(folder)
  const run = runs.own()
  rmSync(lockOf(folder, run))
  expect(new Runs(folder).lives(run)).toBe(false)
  expect([runs.own(), new Runs(folder).lives(run)]).toEqual([run, true])
})

test.each(['', '../uploads.db', '1-aaaaaaa/', '1-AAAAAAAA'])('%j is no run that lives', (name) => {
  expect(new Runs(temporaryFolder()).lives(name)).toBe(false)
})

test('files of killed runs go after a minute, those of live runs and of others stay', async () => {
  const folder = temporaryFolder()
  const runs = new Runs(folder)
  const other = await anotherProcess(folder)
  const killed = await anotherProcess(folder)
  await killed.kill()
  writeFileSync(join(folder, 'runs', 'notes.txt'), '')
  const now = Date.now()
  for (const name of readdirSync(join(folder, 'runs'))) utimesSync(join(folder, 'runs', name), 0, now / 1_000 - 59)
  runs.sweep(now)
  expect(readdirSync(join(folder, 'runs'))).toHaveLength(3)
  runs.sweep(now + 2_000)
  expect(readdirSync(join(folder, 'runs')).sort()).toEqual([`${other.run}.lock`, 'notes.txt'].sort())
})

test.each([
  ['NFS', 0x6969, true],
  ['CIFS, as a signed number', 0xff534d42 | 0, true],
  ['ext4', 0xef53, false],
  ['tmpfs', 0x01021994, false],
])('%s: a disk of another machine: %s', (_, type, expected) => {
  expect(isOnNetwork('/folder', () => ({ type }))).toBe(expected)
})

test('what the system does not tell is no network disk', () => {
  const none = () => {
    throw new Error('ENOSYS')
  }
  expect(isOnNetwork('/folder', none)).toBe(false)
})
