import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isGone, type ProcessOwner, processState, thisProcess } from '../../../src/system/process-identity.ts'
import { until } from '../../helpers/until.ts'

const me: ProcessOwner = { host: 'host', boot: 'boot', space: 'space', pid: 100, start: '5' }
const none = () => ({ type: 'none' }) as const
const running = (start: string) => () => ({ type: 'running', start }) as const

const other = { pid: 200, start: '7' }
const unknownStart = { pid: 200, start: '' }
const elsewhere = { host: 'other', boot: 'other' }

test.each([
  ['a running process is not gone', other, 0, running('7'), false],
  ['a process that has run for a day is not gone', other, 1_440, running('7'), false],
  [
    'a process that began under another name of the host is not gone',
    { ...other, host: 'old' },
    11,
    running('7'),
    false,
  ],
  ['a process that ended under another name of the host is gone', { ...other, host: 'old' }, 0, none, true],
  ['a process that has ended is gone', other, 0, none, true],
  ['a process is gone if another one has its number now', other, 0, running('8'), true],
  ['a process of unknown start is not gone while its number is in use', unknownStart, 60, running('8'), false],
  ['a process of unknown start is gone after hours: its number may be reused', unknownStart, 361, running('8'), true],
  ['a process from before the machine was started again is gone', { boot: 'earlier' }, 0, running('5'), true],
  ['a process in another container is not gone within ten minutes', { space: 'other' }, 9, none, false],
  ['a process in another container is gone after ten minutes', { space: 'other' }, 11, none, true],
  ['a process on another machine is not gone within ten minutes', elsewhere, 9, none, false],
  ['a process on another machine is gone after ten minutes', elsewhere, 11, none, true],
  ['a process on another machine is gone if its clock is wrong by hours', elsewhere, -600, none, true],
  ['this process is not gone', {}, 1_440, none, false],
  ['an earlier process with the number of this one is gone', { start: '4' }, 0, running('5'), true],
])('%s', (_, owner, minutes, stateOf, gone) => {
  expect(isGone({ ...me, ...owner }, minutes * 60_000, me, stateOf)).toBe(gone)
})

test('a process identifies itself and is found running', () => {
  const { pid, start } = thisProcess()
  expect([pid, processState(pid)]).toEqual([process.pid, { type: 'running', start }])
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

test.skipIf(!existsSync('/proc/self/stat'))('a process that has ended is gone, waited for or not', async () => {
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
})

test('a process of another user, to which no signal may be sent, is found running', () => {
  const refusal = Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw refusal
  })
  onTestFinished(() => kill.mockRestore())
  expect(processState(process.pid).type).toBe('running')
})
