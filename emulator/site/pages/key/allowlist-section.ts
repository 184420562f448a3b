import type { AllowlistReview } from '../../../service/allowlist-review.ts'
import { type Html, html } from '../../html/html.ts'
import type { Visitor } from '../../visitor.ts'
import { type FormProblem, formFor, notice } from '../form.ts'

/** The allowlist as the visitor has written or saved it. */
export interface AllowlistView {
  readonly text: string
  /** What is to say about the text; absent if it is what is saved. */
  readonly review?: AllowlistReview
  /** Whether the visitor is asked to save a list that refuses its own address. */
  readonly needsConsent?: boolean
  /** The addresses that were put into the text just now, which is not saved. */
  readonly added?: readonly string[]
}

const [listId, consentId] = ['allowlist', 'consent'] as const

export function allowlistProblem({ say }: Visitor, view: AllowlistView): FormProblem | undefined {
  const { review, needsConsent = false } = view
  const isWrong = review !== undefined && (review.wrong.length > 0 || review.isTooLong)
  if (!isWrong && !needsConsent) return undefined
  return { field: needsConsent ? consentId : listId, label: say.allowlist.label }
}

export function allowlistSection(visitor: Visitor, view: AllowlistView): Html {
  const { text, review, needsConsent = false, added } = view
  const { allowlist } = visitor.say
  const problems = review === undefined ? [] : problemsOf(visitor, review)
  const isWrong = problems.length > 0
  const described = `allowlist-help${isWrong ? ' allowlist-problems' : ''}`
  const fields = html`<div class="field">
<label for="${listId}">${allowlist.label}</label>
<p class="soft" id="allowlist-help">${allowlist.help} ${allowlist.yourAddress(visitor.address)}</p>
<textarea id="${listId}" name="addresses" rows="5" spellcheck="false" autocomplete="off" aria-describedby="${described}"${isWrong && html` aria-invalid="true" autofocus`}>
${text}</textarea>
${isWrong && html`<ul class="problem" id="allowlist-problems">${problems.map((problem) => html`<li>${problem}</li>`)}</ul>`}
</div>
${needsConsent && consent(visitor, review)}
${added !== undefined && notice(added.length === 0 ? allowlist.nothingToAdd : allowlist.added(added.join(', ')), 'warn')}
<p class="row"><button name="do" value="save"${added !== undefined && html` autofocus`}>${allowlist.save}</button>
<button class="quiet" name="do" value="add">${allowlist.addMine}</button></p>`
  return html`<section class="card" aria-labelledby="allowed"><h2 id="allowed">${allowlist.heading}</h2>
${formFor(visitor, { place: 'allowlist' }, fields)}</section>`
}

function problemsOf({ say: { allowlist } }: Visitor, review: AllowlistReview): readonly string[] {
  const wrong = review.wrong.map(({ line, entry, kind }) =>
    allowlist.wrong(line, shortened(entry), allowlist.problems[kind]),
  )
  return review.isTooLong ? [...wrong, allowlist.tooMany] : wrong
}

/** A warning before the visitor locks its own machine out. */
function consent({ say: { allowlist }, address }: Visitor, review: AllowlistReview | undefined): Html {
  const refused = [review?.excludesVisitor && address, review?.excludedTwin].filter((each) => typeof each === 'string')
  return html`${notice(allowlist.lockOut(refused.join(', ')), 'warn')}
<label class="check"><input type="checkbox" id="${consentId}" name="consent" value="yes" autofocus> ${allowlist.saveAnyway}</label>`
}

function shortened(entry: string): string {
  return entry.length > 60 ? `${entry.slice(0, 60)}…` : entry
}
