import { readFile, stat } from 'node:fs/promises'
import { expect } from 'vitest'
import { deadAddress } from '../helpers/dead-address.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { asItWas, openTerminal, type TerminalSession, terminalTest } from '../helpers/terminal.ts'

/** A service, and folders without a login. */
async function loggedOut() {
  const { emulator, baseUrl } = await emulatedRig()
  return { rig: await createRig({ env: { FH_LIMITS: 'none' } }), emulator, baseUrl, host: new URL(baseUrl).host }
}

/** Answers questions in turn: each waits until it is the last line of the screen. */
async function answerAll(terminal: TerminalSession, answers: readonly (readonly [question: RegExp, keys: string])[]) {
  for (const [question, keys] of answers) {
    await terminal.shows(question)
    terminal.type(keys)
  }
}

const anyKey = /API key \(not shown\):$/

terminalTest('login understands what a person types and pastes, stores it, and says what to do next', async () => {
  const { rig, emulator, baseUrl, host } = await loggedOut()
  const terminal = openTerminal(rig, ['login'], { columns: 200 })
  await answerAll(terminal, [
    [/^Address of the service:$/, '\r'],
    [/No address was typed\n(?:.*\n)?Address of the service:$/, `${host}/api?key\r`],
    [/The base URL is without \? or #: write \S+\n(?:.*\n)?Address of the service:$/, `${host}/api\r`],
    [anyKey, '\r'],
    [/the API key is empty\n(?:.*\n)?API key \(not shown\):$/, 'two words\r'],
    [/an API key has no spaces.*\n(?:.*\n)?API key \(not shown\):$/, 'wrong\r'],
    [/401: Invalid API key\.\n(?:.*\n)?API key \(not shown\):$/, `\x1b[200~"${emulator.apiKey}"\n\x1b[201~`],
  ])
  const { code, lines } = await terminal.ended
  expect(code, lines.join('\n')).toBe(0)
  expect(lines.slice(-2)).toEqual([
    `Logged in to ${baseUrl} (uploads: 0); stored in profile default of ${rig.configFile}`,
    'Next: fh upload photo.jpg',
  ])
  expect(terminal.raw()).not.toContain(emulator.apiKey)
  expect(JSON.parse(await readFile(rig.configFile, 'utf8'))).toEqual({
    profiles: { default: { base_url: baseUrl, api_key: emulator.apiKey } },
  })
  const { requests } = emulator.control.requests.list()
  expect(requests.map(({ endpoint, status, key_in }) => [endpoint, status, key_in])).toEqual([
    ['/api/stats', 401, 'header'],
    ['/api/stats', 200, 'header'],
  ])
})

terminalTest(
  'a wrong address alone is asked again: where nothing listens before the key, else the key is kept',
  async () => {
    const { rig, emulator, host } = await loggedOut()
    const website = await scriptedServer(answer(404, '<!doctype html><title>Shop</title>'))
    const nowhere = new URL(await deadAddress()).host
    const terminal = openTerminal(rig, ['login', '--profile', 'work'], { columns: 200 })
    await answerAll(terminal, [
      [/^Address of the service:$/, 'abcdef\r'],
      [/Not a URL; give it as https:\/\/files\.example\n(?:.*\n)?Address of the service:$/, 'http://files.example\r'],
      [/unencrypted to files\.example\n(?:.*\n)?Address of the service:$/, `${nowhere}\r`],
      [/ECONNREFUSED.*\n(?:.*\n)?Address of the service \[http:\S+\]:$/, `${new URL(website.baseUrl).host}/shop\r`],
      [anyKey, `${emulator.apiKey}\r`],
      [
        /answered 404 with an HTML page\n(?:.*\n)?Address of the service \[http:\/\/[^\]/]+\/shop\]:$/,
        `${host}/api/\r`,
      ],
    ])
    const { code, lines } = await terminal.ended
    expect(code, lines.join('\n')).toBe(0)
    expect(lines.filter((line) => line.startsWith('API key'))).toHaveLength(1)
    expect(lines.at(-1)).toBe('Next: fh upload --profile work photo.jpg')
    expect(website.requests.map(({ method, url, headers }) => [method, url, headers['x-api-key']])).toEqual([
      ['HEAD', '/shop/', undefined],
      ['GET', '/shop/api/stats', emulator.apiKey],
    ])
    expect((await rig.fh(['stats', '--profile', 'work'])).code).toBe(0)
    const again = openTerminal(rig, ['login', '--profile', 'work'], { columns: 200 })
    await again.shows(/^Address of the service \[http\S+]:$/)
  },
)

terminalTest.each<[string, string[], number, NodeJS.Signals?]>([
  ['Ctrl-C at the address', ['\x03'], 130],
  ['Ctrl-D at the key', ['ADDRESS', '\x04'], 130],
  ['SIGTERM at the key', ['ADDRESS', 'half-a-key'], 143, 'SIGTERM'],
  ['SIGHUP at the key', ['ADDRESS', 'half-a-key'], 129, 'SIGHUP'],
  ['Ctrl-D after a wrong key', ['ADDRESS', 'wrong\r', '\x04'], 130],
])('login stores nothing after %s, and restores the terminal', async (_, keys, exitCode, signal) => {
  const { rig, host } = await loggedOut()
  const terminal = openTerminal(rig, ['login'])
  const questions = [/^Address of the service:$/, anyKey, /401: Invalid API key[\s\S]*API key \(not shown\):$/]
  await answerAll(
    terminal,
    keys.map((text, index) => [questions[index] ?? anyKey, text.replace('ADDRESS', `${host}\r`)]),
  )
  if (signal !== undefined) terminal.kill(signal)
  const { code, lines } = await terminal.ended
  // The terminal shows what was typed, in that line or after it, if the signal comes before fh has read it.
  const said = lines.map((line) => line.replace('half-a-key', '')).filter((line) => line !== '')
  expect([code, said.at(-1)]).toEqual([exitCode, 'fh: interrupted'])
  expect(terminal.state()).toEqual(asItWas)
  await expect(stat(rig.configFile)).rejects.toThrow('ENOENT')
})

terminalTest.each([
  [7, 'Unpaid.'],
  [5, 'ECONNREFUSED'],
])('login ends with %d where neither another key nor (with --base-url) address can help: %s', async (...ends) => {
  const [exitCode, said] = ends
  const { rig, emulator, host } = await loggedOut()
  emulator.control.accounts.update(1, { suspended: true, suspension_reason: 'Unpaid.' })
  const terminal = openTerminal(rig, ['login', '--base-url', exitCode === 7 ? host : await deadAddress()])
  // Where nothing listens, no key is asked for.
  if (exitCode === 7) await answerAll(terminal, [[anyKey, `${emulator.apiKey}\r`]])
  const { code, lines } = await terminal.ended
  expect([code, lines.join('\n')]).toEqual([exitCode, expect.stringContaining(said)])
  expect(lines.filter((line) => line.startsWith('Address'))).toEqual([])
  await expect(stat(rig.configFile)).rejects.toThrow('ENOENT')
})
