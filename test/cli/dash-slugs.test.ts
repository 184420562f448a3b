import { describe, expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'

describe('a slug that begins with a dash', () => {
  const slug = '-ZPKQ4vTq0_hY-sbL2m9x'
  const upload = {
    ...{ slug, title: null, mime_type: 'image/jpeg', size: 4, views: 0, likes: 0, thumb_url: null },
    created_at: '2026-11-21T22:00:00+02:00',
  }
  const service = async (step: Step) => {
    const server = await scriptedServer(step)
    return { server, ...(await createRig({ service: server })) }
  }
  const urls = { url: 'http://127.0.0.1/i/x', direct_url: 'http://127.0.0.1/i/x.jpg' }

  test('fh show takes a slug that begins with a dash, before and after flags', async () => {
    const { fh, server } = await service(answer(200, { upload: { ...upload, ...urls } }))
    for (const args of [
      ['show', slug],
      ['--json', 'show', '--fields', 'slug', slug],
      ['show', '--', slug],
    ]) {
      expect([args, (await fh(args)).code]).toEqual([args, 0])
    }
    expect(new Set(server.requests.map(({ url }) => url))).toEqual(new Set([`/api/uploads/${slug}`]))
  })

  test.each(['-yPKQ4vTq0_hY-sbL2m9x', '-nPKQ4vTq0_hY-sbL2m9x', '-PKQ4vTq0hYsbL2m9x00-'])(
    'fh delete deletes the slug %s in the order of the arguments, and takes it for no flag',
    async (dashed) => {
      const { fh, server } = await service(answer(200, { deleted: true }))
      const { code, stdout } = await fh(['delete', 'first00001', dashed, '-qy', 'last000001', '--json'])
      expect(code).toBe(0)
      expect(JSON.parse(stdout).map((record: { slug: string }) => record.slug)).toEqual([
        'first00001',
        dashed,
        'last000001',
      ])
      expect(server.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'DELETE'])
      // Without --yes it would have been asked for.
      expect((await fh(['delete', dashed])).code).toBe(4)
    },
  )

  test.each(['--dry_run', '--dryRun', '--DRY-RUN', '-dry_run', '--Dry_Run'])(
    'fh delete refuses the misspelt flag %s, names the flag, and deletes nothing',
    async (mistyped) => {
      const { fh, server } = await service(answer(200, { deleted: true }))
      const { code, stderr } = await fh(['delete', '--yes', mistyped, 'aB3dE6gH9j'])
      expect([code, stderr]).toEqual([2, expect.stringContaining(`Unknown flag: ${mistyped}`)])
      expect(stderr).toContain('--dry-run')
      expect(server.requests).toEqual([])
    },
  )

  test('a slug that begins with two dashes is shown, and deleted only after --', async () => {
    const dashed = '--PKQ4vTq0hYsbL2m9x00'
    const { fh, server } = await service(answer(200, { deleted: true }))
    const refused = await fh(['delete', '--yes', dashed])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`fh delete -- ${dashed}`)])
    expect(server.requests).toEqual([])
    expect((await fh(['delete', '--yes', '--', dashed])).code).toBe(0)
    await fh(['show', dashed])
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `DELETE /api/uploads/${dashed}`,
      `GET /api/uploads/${dashed}`,
    ])
  })

  test('a short slug that begins with a dash is refused with the hint to put -- before it, and a misspelt flag with the nearest flag', async () => {
    const { fh } = await service(answer(200, {}))
    const short = await fh(['show', '-abc'])
    expect([short.code, short.stderr]).toEqual([
      2,
      'fh: Unknown flag: -abc\n  For an upload of that slug: fh show -- -abc\n',
    ])
    expect((await fh(['delete', '--dry-rum', 'a'])).stderr).toContain('--dry-run')
  })

  test('completion suggests slugs that begin with a dash, and --', async () => {
    const page = { data: [{ ...upload, ...urls }], total: 1, current_page: 1, last_page: 1, per_page: 50 }
    const { fh } = await service(answer(200, page))
    await fh(['completion', 'bash', '=sh'])
    expect((await fh(['list'])).code).toBe(0)
    const { stdout } = await fh(['completion', 'bash', '=show', '=-'])
    expect(stdout).toContain(`\n${slug}\t`)
    expect(stdout).toMatch(/^--\tslugs follow/m)
  })
})
