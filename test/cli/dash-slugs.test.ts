import { expect, test } from 'vitest'
import { uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'

const slug = '-ZPKQ4vTq0_hY-sbL2m9x'
const upload = { ...uploadObject, slug }
const service = async (step: Step = answer(200, { deleted: true })) => {
  const server = await scriptedServer(step)
  const asked = () => server.requests.map(({ method, url }) => `${method} ${url.replace('/api/uploads/', '')}`)
  return { asked, ...(await createRig({ service: server })) }
}

test('fh show takes a slug that begins with a dash, before and after flags', async () => {
  const { fh, asked } = await service(answer(200, { upload }))
  for (const args of [
    ['show', slug],
    ['--json', 'show', '--fields', 'slug', slug],
    ['show', '--', slug],
  ]) {
    expect([args, (await fh(args)).code]).toEqual([args, 0])
  }
  expect(new Set(asked())).toEqual(new Set([`GET ${slug}`]))
})

test.each(['-yPKQ4vTq0_hY-sbL2m9x', '-nPKQ4vTq0hYsbL2m9x00-'])('fh delete takes %s for no flag', async (dashed) => {
  const { fh, asked } = await service()
  const { code, stdout } = await fh(['delete', 'first00001', dashed, '-qy', 'last000001', '--json'])
  const records = ['first00001', dashed, 'last000001'].map((slug) => ({ slug, status: 'deleted' }))
  expect([code, JSON.parse(stdout), asked().length]).toMatchObject([0, records, 3])
  // Without --yes it would have been asked for.
  expect((await fh(['delete', dashed])).code).toBe(4)
})

test('a slug that begins with two dashes is shown, and deleted only after --', async () => {
  const dashed = '--PKQ4vTq0hYsbL2m9x00'
  const { fh, asked } = await service()
  const stderr = expect.stringContaining(`fh delete -- ${dashed}`)
  expect(await fh(['delete', '--yes', dashed])).toMatchObject({ code: 2, stderr })
  expect((await fh(['delete', '--yes', '--', dashed])).code).toBe(0)
  await fh(['show', dashed])
  expect(asked()).toEqual([`DELETE ${dashed}`, `GET ${dashed}`])
})

test('completion suggests -- before slugs, which may begin with a dash', async () => {
  const { fh } = await service()
  const { stdout } = await fh(['completion', 'bash', '=show', '=-'])
  expect(stdout).toMatch(/^--\tslugs follow/m)
})
