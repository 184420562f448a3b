import type { Control } from '../control/control.ts'
import { toControlError } from '../control/http/errors.ts'
import { receiveWhole } from '../http/request/request-body.ts'
import { type HttpReply, type HttpRequest, headerOf, RequestAbortedError } from '../http-types.ts'
import { readForm } from '../site/forms/form-body.ts'
import { acceptsForm, formOrigin } from '../site/forms/form-judge.ts'
import { type FormTokens, tokenField } from '../site/forms/form-tokens.ts'
import { messagePage } from './page.ts'
import { type Action, type ActionDone, FieldError, FieldErrors, type RefusedForm } from './section.ts'

interface ActionRun {
  /** `<section>/<action>`. */
  readonly name: string
  readonly action: Action
  readonly request: HttpRequest
  readonly tokens: FormTokens
  readonly control: Control
}

type ActionOutcome = { readonly done: ActionDone } | { readonly refused: RefusedForm } | { readonly reply: HttpReply }

/** Judges where a form comes from, reads it and carries it out. */
export async function runAction({ name, action, request, tokens, control }: ActionRun): Promise<ActionOutcome> {
  const origin = formOrigin(request, request.origin)
  if (origin === 'foreign') {
    return { reply: messagePage(403, 'This form came from another page', 'Send it from the dashboard itself.') }
  }
  const fields = await readFields(request)
  if (fields === undefined) {
    return { reply: messagePage(400, 'This form cannot be read', 'Open the dashboard again and repeat it.') }
  }
  const token = fields.get(tokenField)
  const isValid = (given: string) => tokens.isValid(given, undefined)
  if (!acceptsForm(origin, typeof token === 'string' ? token : undefined, isValid)) {
    return {
      reply: messagePage(419, 'This form has expired', 'The emulator was started again: open the dashboard again.'),
    }
  }
  try {
    return { done: (await action({ control, fields })) ?? {} }
  } catch (error) {
    if (error instanceof RequestAbortedError) throw error
    return { refused: { action: name, fields, ...whatIsWrong(error) } }
  }
}

function whatIsWrong(error: unknown): Pick<RefusedForm, 'problem' | 'problems'> {
  if (error instanceof FieldError) return { problem: undefined, problems: new Map([[error.field, error.message]]) }
  if (error instanceof FieldErrors) return { problem: error.message, problems: error.problems }
  return { problem: toControlError(error).body.error.message, problems: new Map() }
}

/** A snapshot, with room for the form around it. */
const mostFileBytes = 402_653_184

/** A form with a file is read whole: only a snapshot is one. */
async function readFields(request: HttpRequest): Promise<RefusedForm['fields'] | undefined> {
  const type = headerOf(request, 'content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) return readForm(request)
  const body = await receiveWhole(request, mostFileBytes)
  if (body === undefined) return undefined
  const form = new Response(new Uint8Array(body), { headers: { 'Content-Type': type } })
  return form.formData().catch(() => undefined)
}
