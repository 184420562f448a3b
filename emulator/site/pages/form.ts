import { tokenField } from '../forms/form-tokens.ts'
import { type Html, html } from '../html/html.ts'
import { type PlaceName, placePath } from '../site-routes.ts'
import type { Visitor } from '../visitor.ts'

/** Where a form goes, and what it sends besides what a person enters. */
export interface FormTarget {
  readonly place: PlaceName
  /** The slug or id in the place's path. */
  readonly parameter?: string
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>
  readonly className?: string
  readonly hasFiles?: boolean
  /** For a script to find the form. */
  readonly id?: string
}

/** A form with a token of the visitor. */
export function formFor(visitor: Visitor, target: FormTarget, content: Html): Html {
  const { place, parameter, fields = {}, className, hasFiles = false, id } = target
  const hidden = Object.entries({ [tokenField]: visitor.formToken(), ...fields })
  return html`<form method="post" action="${visitor.root}${placePath(place, parameter)}"${
    className !== undefined && html` class="${className}"`
  }${id !== undefined && html` id="${id}"`}${hasFiles && html` enctype="multipart/form-data"`}>
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}${content}
</form>`
}

export interface Field {
  /** The name of the value in the form; unique on the page. */
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password'
  readonly value?: string
  /** As in HTML, such as `current-password`; `off` by default. */
  readonly autocomplete?: string
  readonly problem?: string | undefined
  readonly isRequired?: boolean
  readonly maxLength?: number
}

export function formField(options: Field): Html {
  const { name, label, type = 'text', value, autocomplete = 'off', problem, isRequired = true, maxLength } = options
  const problemId = `${name}-problem`
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${
    value !== undefined && html` value="${value}"`
  }${isRequired && html` required`}${maxLength !== undefined && html` maxlength="${maxLength}"`}${
    problem !== undefined && html` aria-invalid="true" aria-describedby="${problemId}" autofocus`
  }>
${problem !== undefined && html`<p class="problem" id="${problemId}">${problem}</p>`}
</div>`
}

/** What a visitor wrote that is not saved, and why. */
export interface RefusedText {
  readonly given: string
  readonly problem: string
}

export interface FormProblem {
  /** The id of the field, beside which the words are. */
  readonly field: string
  readonly label: string
  /** Instead of a sentence that names the field. */
  readonly text?: string
}

/** The field itself may be far below, off a phone's screen. */
export function problemNotice({ say: { layout } }: Visitor, { field, label, text }: FormProblem): Html {
  return html`<div class="notice bad" role="alert"><p><a href="#${field}">${text ?? layout.notSaved(label)}</a></p></div>\n`
}

/** A message above everything else of a page. `status` is read out politely; `alert` is for a mistake of the visitor. */
export function notice(text: string, kind: 'good' | 'warn' | 'bad' = 'good'): Html {
  return html`<div class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}"><p>${text}</p></div>`
}
