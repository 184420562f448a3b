import type { Page } from 'playwright-core'
import type { Language } from '../../../emulator/site/texts/language.ts'
import { texts } from '../../../emulator/site/texts/texts.ts'

interface Credentials {
  readonly email: string
  readonly password: string
}

const firstAccount: Credentials = { email: 'user@example.com', password: 'password' }

/** Signs in by the form, as the first account by default; the page is then the account's own files. */
export async function signIn(page: Page, { email, password } = firstAccount, language: Language = 'en'): Promise<void> {
  const { login, layout } = texts[language]
  await page.goto('/login')
  await page.getByLabel(login.email, { exact: true }).fill(email)
  await page.getByLabel(login.password, { exact: true }).fill(password)
  await page.getByRole('main').getByRole('button', { name: login.submit }).click()
  await page.getByRole('button', { name: layout.signOut }).waitFor()
}
