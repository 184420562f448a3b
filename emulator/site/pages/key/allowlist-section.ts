import type { AllowlistReview } from '../../../service/allowlist-review.ts'
import { type Html, html } from '../../html/html.ts'
import type { Visitor } from '../../visitor.ts'
import { type FormProblem, formFor } from '../form.ts'

/** The allowlist as the visitor has written or saved it. */
export interface AllowlistView {
  readonly text: string
  /** What is wrong with the text; absent if it is what is saved. */
  readonly review?: AllowlistReview
}

const listId = 'allowlist'

export function allowlistProblem({ say }: Visitor, { review }: AllowlistView): FormProblem | undefined {
  return review && { field: listId, label: say.allowlist.label }
}

export function allowlistSection(visitor: Visitor, { text, review }: AllowlistView): Html {
  const { allowlist } = visitor.say
  const problems = review && problemsOf(visitor, review)
  const described = `allowlist-help${problems === undefined ? '' : ' allowlist-problems'}`
  const fields = html`<div class="field">
<label for="${listId}">${allowlist.label}</label>
<p class="soft" id="allowlist-help">${allowlist.help} ${allowlist.yourAddress(visitor.address)}</p>
<textarea id="${listId}" name="addresses" rows="5" spellcheck="false" autocomplete="off" aria-describedby="${described}"${problems && html` aria-invalid="true" autofocus`}>
${text}</textarea>
${problems && html`<ul class="problem" id="allowlist-problems">${problems.map((problem) => html`<li>${problem}</li>`)}</ul>`}
</div>
<button>${allowlist.save}</button>`
  return html`<section class="card" aria-labelledby="allowed"><h2 id="allowed">${allowlist.heading}</h2>
${formFor(visitor, { place: 'allowlist' }, fields)}</section>`
}

function problemsOf({ say: { allowlist } }: Visitor, review: AllowlistReview): readonly string[] {
  const wrong = review.wrong.map(({ line, entry }) => allowlist.wrong(line, shortened(entry)))
  return review.isTooLong ? [...wrong, allowlist.tooMany] : wrong
}

function shortened(entry: string): string {
  return entry.length > 60 ? `${entry.slice(0, 60)}…` : entry
}
