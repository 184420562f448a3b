import type { Page } from 'playwright-core'
import type { Language } from '../../../emulator/site/texts/language.ts'
import { texts } from '../../../emulator/site/texts/language.ts'

/** Signs in by the form, as the first account; the page is then the account's own files. */
export async function signIn(page: Page, language: Language = 'en'): Promise<void> {
  const { login, layout } = texts[language]
  await page.goto('/login')
  await page.getByLabel(login.email, { exact: true }).fill('user@example.com')
  await page.getByLabel(login.password, { exact: true }).fill('password')
  await page.getByRole('main').getByRole('button', { name: login.submit }).click()
  await page.getByRole('button', { name: layout.signOut }).waitFor()
}

/** On the page of the key, makes one. @returns what the page shows of it */
export async function makeKey(page: Page, language: Language = 'en'): Promise<string> {
  const { key } = texts[language]
  await page.getByLabel(key.password).fill('password')
  await page.getByRole('button', { name: key.generate }).dblclick()
  return (await page.locator('#api-key').textContent()) ?? ''
}
