import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isGone, type ProcessOwner, processState, thisProcess } from '../../../src/system/process-identity.ts'
import { until } from '../../helpers/until.ts'

const me: ProcessOwner = { host: 'host', boot: 'boot', space: 'space', pid: 100, start: '5' }
const none = () => ({ type: 'none' }) as const
const running = (start: string) => () => ({ type: 'running', start }) as const
const minutes = (count: number) => count * 60_000

test.each([
  ['a process that runs is not', { pid: 200, start: '7' }, 0, running('7'), false],
  ['a process that runs is not after a day either', { pid: 200, start: '7' }, minutes(1_440), running('7'), false],
  ['a process that has ended is', { pid: 200, start: '7' }, 0, none, true],
  ['one whose number another process has now is', { pid: 200, start: '7' }, 0, running('8'), true],
  ['one of unknown start is not while its number is in use', { pid: 200, start: '' }, minutes(60), running('8'), false],
  ['and is after hours, for it may be another one', { pid: 200, start: '' }, minutes(361), running('8'), true],
  ['one from before the machine was started again is', { boot: 'earlier' }, 0, running('5'), true],
  ['one in another container is not at first', { space: 'other' }, minutes(9), none, false],
  ['and is when it could be looked for no longer', { space: 'other' }, minutes(11), none, true],
  ['one on another machine is not at first', { host: 'other', boot: 'other' }, minutes(9), none, false],
  ['and is later', { host: 'other', boot: 'other' }, minutes(11), none, true],
  ['and is too where its clock is wrong by hours', { host: 'other' }, minutes(-600), none, true],
  ['this process itself is not', {}, minutes(1_440), none, false],
  ['an earlier one of the same number is', { start: '4' }, 0, running('5'), true],
])('an owner’s process: %s', (_, owner, ageMs, stateOf, gone) => {
  expect(isGone({ ...me, ...owner }, ageMs, me, stateOf)).toBe(gone)
})

test('a process identifies itself and is found running', () => {
  const own = thisProcess()
  expect(own.pid).toBe(process.pid)
  expect(processState(own.pid)).toEqual({ type: 'running', start: own.start })
})

test('a process counts as gone as soon as it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const pid = child.pid ?? 0
  await once(child, 'spawn')
  expect(processState(pid).type).toBe('running')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(processState(pid)).toEqual({ type: 'none' })
})

test.skipIf(!existsSync('/proc/self/stat'))(
  'a process that has ended is none, though its parent never asks',
  async () => {
    const script = 'cat <&3 & echo $!; exec sleep 600'
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [stdout, , gate] = parent.stdio.slice(1)
    let told = ''
    stdout?.on('data', (text) => (told += text))
    await until(() => told.endsWith('\n'))
    // The program that replaced the shell does not wait for children.
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n')
    gate?.destroy()
    const pid = Number(told)
    await until(() => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')))
    expect(processState(pid)).toEqual({ type: 'none' })
  },
)

test('a process of another user, to which no signal may be sent, is found running', () => {
  const refusal = Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw refusal
  })
  onTestFinished(() => kill.mockRestore())
  expect(processState(process.pid).type).toBe('running')
})
