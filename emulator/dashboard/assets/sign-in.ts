import { call, useToken } from './emulator.ts'
import type { CallRefusal } from './input.ts'

/** Resolves once the page's frame is shown: where the control API needs its token, after a form has asked for it. */
export async function signedIn(): Promise<void> {
  const frame = document.querySelector<HTMLTemplateElement>('#frame')
  const form = document.querySelector('form')
  if (frame === null || form === null) return
  const [field, problem] = [form.querySelector('input'), form.querySelector('.problem')]
  await new Promise<void>((resolve) => {
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      useToken(field?.value.trim() ?? '')
      await call<void>('GET', '/health').then(resolve, ({ status, message }: CallRefusal) => {
        problem?.replaceChildren(status === 401 || status === 403 ? 'This is not the control token.' : message)
        field?.setAttribute('aria-invalid', 'true')
        field?.focus()
      })
    })
  })
  document.body.replaceChildren(frame.content)
}
