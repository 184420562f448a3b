import { expect } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { openShell, openTerminal, shellTest, terminalTest } from '../helpers/terminal.ts'

const CTRL_C = '\x03'
const CTRL_Z = '\x1a'

/** Repeats what is typed, and ends some time after a signal, that others may come, telling how many did. */
const script = `import { setTimeout } from 'node:timers/promises'
let count = 0
process.on('SIGINT', async () => {
  count += 1
  if (count > 1) return
  await setTimeout(100)
  console.log('signals', count)
  process.exit(7)
})
process.stdin.on('data', (text) => console.log('heard ' + String(text).trim()))
console.log('ready')`

terminalTest('the command of emulate reads from the terminal, and gets Ctrl-C once', async () => {
  const rig = await createRig()
  await rig.write('child.mjs', script)
  const terminal = openTerminal(rig, ['emulate', '-q', '--', process.execPath, 'child.mjs'])
  await terminal.shows(/^ready$/m)
  terminal.type('hello\r')
  await terminal.shows(/^heard hello$/m)
  terminal.type(CTRL_C)
  const { code, lines } = await terminal.ended
  expect([code, lines.at(-1)]).toEqual([7, '^Csignals 1'])
})

terminalTest('a SIGINT that no terminal has sent reaches the command of emulate too', async () => {
  const rig = await createRig()
  const trapped = 'trap "echo interrupted; exit 7" INT; kill -INT $PPID; while :; do sleep 0.1; done'
  const { code, lines } = await openTerminal(rig, ['emulate', '-q', '--', 'sh', '-c', trapped]).ended
  expect([code, lines.at(-1)]).toEqual([7, 'interrupted'])
})

terminalTest('the command of emulate can open the terminal itself', async () => {
  const rig = await createRig()
  const terminal = openTerminal(rig, ['emulate', '-q', '--', 'sh', '-c', 'read answer </dev/tty; echo "got $answer"'])
  terminal.type('yes\r')
  const { code, lines } = await terminal.ended
  expect([code, lines.at(-1)]).toEqual([0, 'got yes'])
})

shellTest('emulate and its command stop at Ctrl-Z in a shell, and continue in the foreground', async () => {
  const rig = await createRig()
  await rig.write('child.mjs', script)
  const terminal = await openShell(rig, ['emulate', '-q', '--', process.execPath, 'child.mjs'])
  terminal.type('"$@"\r')
  await terminal.shows(/^ready$/m)
  terminal.type(CTRL_Z)
  await terminal.shows(/Stopped/)
  terminal.type('fg\r')
  terminal.type('again\r')
  await terminal.shows(/^heard again$/m)
  terminal.type(CTRL_C)
  await terminal.shows(/^\^Csignals 1\n>$/m)
  terminal.type('exit\r')
  await terminal.ended
})
