import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDataFolder } from '../../emulator/storage/open.ts'
import { createRig, type Rig } from '../helpers/rig.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { startEmulator } from './load.ts'

async function started(rig: Rig, port?: string) {
  const { running, ready } = await startEmulator(rig, port)
  const url: string = ready.base_url
  const kill = async () => {
    running.child.kill('SIGKILL')
    await running.ended
  }
  return { url, control: String(ready.control_url), port: new URL(url).port, kill }
}

async function signIn(url: string, email: string, password: string) {
  const response = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: url },
    body: new URLSearchParams({ email, password }),
  })
  const [cookie = ''] = response.headers.getSetCookie()[0]?.split(';') ?? []
  return { status: response.status, cookie }
}

/** The sign-in page sends on a browser that is signed in. */
async function isSignedIn(url: string, cookie: string): Promise<boolean> {
  return (await fetch(`${url}/login`, { redirect: 'manual', headers: { Cookie: cookie } })).status === 303
}

test(
  'a browser that was told it is signed in stays so through a kill, and its id and password are not on the disk',
  takesLong(60, 'it starts and kills three emulators, and hashes passwords'),
  async () => {
    const rig = await createRig()
    const first = await started(rig)
    const account = { email: 'me@example.com', password: 'apple pie' }
    await fetch(`${first.control}/accounts`, { method: 'POST', body: JSON.stringify(account) })
    const { status, cookie } = await signIn(first.url, 'ME@example.com', account.password)
    expect(status).toBe(303)
    await first.kill()

    const second = await started(rig, first.port)
    expect(await isSignedIn(second.url, cookie)).toBe(true)
    expect(await isSignedIn(second.url, `${cookie}x`)).toBe(false)
    const again = await signIn(second.url, account.email, account.password)
    expect(again.cookie).not.toBe(cookie)
    await fetch(`${second.control}/reset`, { method: 'POST' })
    await second.kill()

    const third = await started(rig, first.port)
    expect([await isSignedIn(third.url, cookie), await isSignedIn(third.url, again.cookie)]).toEqual([false, false])
    await third.kill()

    const folder = join(rig.folder, 'data')
    await (await openDataFolder(folder)).close()
    const bytes = readFileSync(join(folder, 'records.db'), 'latin1')
    const [, id = ''] = cookie.split('=')
    expect(id).toHaveLength(43)
    for (const secret of [id, account.password, hash('sha256', account.password)]) expect(bytes).not.toContain(secret)
  },
)
