import { expect } from 'vitest'
import { heldUpload, twoFiles } from '../helpers/held-upload.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { asItWas, openTerminal, terminalTest } from '../helpers/terminal.ts'

const linked = (name: string) => expect.stringMatching(`^uploaded .*${name} .*: ${uploadObject.url}$`)
const bothUploaded = [linked('photo\\.jpg'), linked('picture\\.png'), expect.stringMatching(/^2 uploaded/)]
const goesOn = 'Run the same command again to continue'
const CTRL_C = '\x03'

terminalTest('an upload draws without changing the state of the terminal, and nothing of it stays', async () => {
  const { terminal, release } = await heldUpload({ columns: 200 })
  expect(terminal.state()).toEqual(asItWas)
  release()
  const { code, lines } = await terminal.ended
  expect(code).toBe(0)
  expect(terminal.state()).toEqual(asItWas)
  expect(lines).toEqual(bothUploaded)
})

terminalTest.each([
  ['Ctrl-C', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('an upload in flight finishes after %s, says so above the bars, and ends with %d', async (by, exitCode) => {
  const { terminal, server, release } = await heldUpload()
  if (by === 'Ctrl-C') terminal.type(CTRL_C)
  else terminal.kill(by)
  await terminal.shows(
    /Stopping: 1 in flight has 5 s to finish; press Ctrl-C again to abort\n.*0\/2.*\n.*photo\.jpg .*sent, waiting for the answer/,
  )
  release()
  const { code, lines } = await terminal.ended
  // A run that took longer says how long.
  const summary = expect.stringMatching(/^1 uploaded( \([^)]*\))?, 1 not started$/)
  expect([code, lines.slice(-2)]).toEqual([exitCode, [summary, goesOn]])
  expect(terminal.state()).toEqual(asItWas)
  expect(server.requests).toHaveLength(1)
})

terminalTest('an upload aborts at the second Ctrl-C, and reports the unknown outcome', async () => {
  const { terminal } = await heldUpload({ columns: 200 })
  terminal.type(CTRL_C)
  await terminal.shows(/Stopping: .* to abort$/m)
  terminal.type(CTRL_C)
  expect(await terminal.ended).toMatchObject({ code: 130 })
  const text = terminal.paragraphs().join('\n')
  expect(text).toMatch(
    /unknown .*photo\.jpg: .*may have been stored: interrupted\n {2}Run the same command.*\n1 not started, 1 of unknown outcome\n/,
  )
  expect(text.endsWith(`\n${goesOn}`)).toBe(true)
  expect(terminal.state()).toEqual(asItWas)
})

terminalTest('the bars of an upload follow the size of the window', async () => {
  // The terminal of these tests is xterm.js, as in vscode.
  const env = { TERM_PROGRAM: 'vscode' }
  const { terminal, release } = await heldUpload({ columns: 100, env })
  const drawn = () => terminal.lines().slice(-2)
  terminal.resize(40, 10)
  await terminal.until(() => (drawn()[0]?.length ?? 99) < 20, 'the bar was narrow')
  expect(drawn().every((line) => line.length < 40)).toBe(true)
  terminal.resize(120, 30)
  await terminal.until(() => (drawn()[0]?.length ?? 0) > 30, 'the bar was wide again')
  // Of what was drawn before nothing stays.
  expect(terminal.lines()).toEqual(drawn())
  release()
  expect(await terminal.ended).toMatchObject({ code: 0, lines: bothUploaded })
})

terminalTest('an upload restores the terminal after an unexpected error', async () => {
  const crash = "process.once('SIGUSR2', () => { throw new Error('an unforeseen error') })"
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` }
  const { terminal } = await heldUpload({ env })
  terminal.kill('SIGUSR2')
  const { code, lines } = await terminal.ended
  expect(code).toBe(1)
  expect(lines.join('\n')).toContain('an unforeseen error')
  expect(terminal.state()).toEqual(asItWas)
})

terminalTest('an upload restores the terminal after stdout has lost its reader', async () => {
  const command = ['sh', '-c', '{ "$0" "$@"; echo "ended with $?" >&2; } | true', ...fhCommand]
  const { terminal, release } = await heldUpload({ args: [...twoFiles, '--progress', 'bar'], command })
  release()
  const { lines } = await terminal.ended
  expect(lines.at(-1)).toBe('ended with 0')
  expect(terminal.state()).toEqual(asItWas)
})

terminalTest('an upload that waits for quota shows window and time, and ends at the first Ctrl-C', async () => {
  const refusal = answer(429, { error: 'Rate limit exceeded (per hour).' }, { 'Retry-After': '3000' })
  const rig = await createRig({ service: await scriptedServer(refusal) })
  const terminal = openTerminal(rig, ['upload', mediaPath('photo.jpg')])
  await terminal.shows(/photo\.jpg .*Waiting .* for the hour quota/)
  terminal.type(CTRL_C)
  const { code, lines } = await terminal.ended
  expect(code).toBe(130)
  expect(lines.join('\n')).not.toContain('0/1')
  expect(terminal.state()).toEqual(asItWas)
})
