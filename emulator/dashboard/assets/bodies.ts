import { counted } from '../../../src/protocol/quantities.ts'
import type { BodyInfo } from '../../control/request-detail.ts'
import { jsonOrText } from './copies.ts'
import { shown } from './shown.ts'
import { type View, view } from './view.ts'

/** A body as text; nothing of it is run or drawn. Of what is no text, such as a form with a file, its beginning shows what it is. */
export function bodyView({ size, is_cut: isCut, text, base64 = '' }: BodyInfo): View {
  const kept = view`<p class="soft">${counted(size, 'byte')}${isCut && ', of which the first 64 KiB are kept'}</p>`
  if (text !== undefined) return [kept, textView(text, 70_000)]
  const bytes = Uint8Array.from(atob(base64.slice(0, 4_000)), (letter) => letter.charCodeAt(0))
  return [kept, textView(new TextDecoder().decode(bytes), 600)]
}

function textView(text: string, mostLength: number): View {
  const json = jsonOrText(text)
  const pretty = typeof json === 'string' ? text : JSON.stringify(json, null, 2)
  return view`<pre tabindex="0" role="region" aria-label="Body">${shown(pretty, mostLength, true)}</pre>`
}
