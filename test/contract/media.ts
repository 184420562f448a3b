import { onTestFinished } from 'vitest'
import type { Upload } from '../../src/protocol/resources.ts'
import { fileForm, type MultipartForm } from '../helpers/multipart-form.ts'
import { picture } from './picture.ts'
import { type Answer, type ContractTarget, keyOf } from './targets.ts'

/** Real files of every accepted type: name, MIME type, and extension of the direct link (spec 4.1). */
export const media = [
  ['photo.jpg', 'image/jpeg', 'jpg'],
  ['picture.png', 'image/png', 'png'],
  ['animation.gif', 'image/gif', 'gif'],
  ['picture.webp', 'image/webp', 'webp'],
  ['clip.mp4', 'video/mp4', 'mp4'],
  ['clip.webm', 'video/webm', 'webm'],
  ['clip.mov', 'video/quicktime', 'mov'],
] as const

/** A foreign service may be slow to accept a deletion. */
const longestWaitMs = 120_000

/** Sends a form with the account's key. */
export function postForm(target: ContractTarget, { headers, body }: MultipartForm): Promise<Answer> {
  return target.send('POST', '/api/upload', { headers: { ...keyOf(target), ...headers }, body })
}

/** Uploads a file that is deleted when the test ends. */
export async function uploadFile(target: ContractTarget, content: Uint8Array = picture): Promise<Answer> {
  const answer = await postForm(target, fileForm(content, 'picture.png'))
  const slug = answer.json.upload?.slug
  if (slug !== undefined) onTestFinished(() => remove(target, slug), longestWaitMs)
  return answer
}

/** An upload that is already visible; some dialects delay that. */
export async function uploaded(target: ContractTarget, content?: Uint8Array): Promise<Upload> {
  const { upload } = (await uploadFile(target, content)).json
  const { control } = target.emulator ?? {}
  await control?.clock.advance(control.settings.get().visible_after_ms)
  return upload
}

/** A call with the account's key and no body. */
export function call(target: ContractTarget, method: string, path: string): Promise<Answer> {
  return target.send(method, path, { headers: keyOf(target) })
}

async function remove(target: ContractTarget, slug: string): Promise<void> {
  await target.emulator?.control.clock.advance('1m')
  await call(target, 'DELETE', `/api/uploads/${slug}`)
}
