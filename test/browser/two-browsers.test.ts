import { expect } from 'vitest'
import { texts } from '../../emulator/site/texts/texts.ts'
import { browserTest as test } from './harness/browser-test.ts'
import { signIn } from './harness/sign-in.ts'

const { allowlist, file } = texts.en

const forms = [
  {
    name: 'list of addresses',
    path: () => '/cont/cheie-api',
    ...{
      label: allowlist.label,
      button: allowlist.save,
      done: allowlist.saved,
      first: '127.0.0.1\n::1',
      second: '127.0.0.0/8\n::1',
    },
    asked: allowlist.savedMeanwhile,
  },
  {
    name: 'title',
    path: (slug: string) => `/i/${slug}`,
    ...{ label: file.title, button: file.saveTitle, done: file.titleSaved, first: 'The first', second: 'The second' },
    asked: file.titleChanged('The first'),
  },
]

test.for(forms)(
  'of two browsers that change one $name at once, the second is shown both and asked, and may save then',
  async ({ path, label, button, done, first, second, asked }, { page, visitor, emulator }) => {
    const [slug = ''] = emulator.control.accounts.addUploads(1, { count: 1 }).slugs
    const other = await visitor()
    for (const each of [page, other]) {
      await signIn(each)
      await each.goto(path(slug))
    }
    const save = async (each: typeof page) => each.getByRole('button', { name: button, exact: true }).click()
    await page.getByLabel(label, { exact: true }).fill(first)
    await other.getByLabel(label, { exact: true }).fill(second)
    await save(page)
    await page.getByText(done).waitFor()
    await save(other)
    await other.getByText(asked).waitFor()
    expect(await other.getByLabel(label, { exact: true }).inputValue()).toBe(second)
    await page.goto(path(slug))
    expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(first)
    await save(other)
    await other.getByText(done).waitFor()
    await page.reload()
    expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(second)
  },
)
