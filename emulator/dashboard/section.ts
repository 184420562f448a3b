import type { AccountDirectory } from '../control/account-directory.ts'
import type { Control } from '../control/control.ts'
import type { RequestJournal } from '../control/request-journal.ts'
import type { HttpReply } from '../http-types.ts'
import type { Html } from '../site/html/html.ts'

/** One part of the page, under a heading of its own. */
export interface Section {
  /** Its anchor, the first part of its actions' paths and the name of its events. */
  readonly name: SectionName
  readonly heading: string
  /** What stands below the heading. Pure: reads the view, changes nothing. */
  view(view: View): Html
  /** What stands after the section: beside it where the page is wide. */
  readonly beside?: (view: View) => Html | false
  /**
   * The part that changes by itself. The page shows it in {@link liveRegion}, and while the page is open it is made again
   * several times a second and sent to it, as the event of the section's name, whenever its text differs. So it shows
   * times in whole seconds, is quick to make, and has no field to type in: what was typed would be lost. Buttons need an
   * id each, by which the focus returns to them.
   */
  readonly live?: (view: View) => Html
  /** The forms it takes, by the last part of their path: `POST /_emulator/ui/<section>/<action>`. */
  readonly actions?: Readonly<Record<string, Action>>
  /** What can be fetched from `GET /_emulator/ui/<section>/<download>`. */
  readonly downloads?: Readonly<
    Record<string, (view: View, snapshot: SnapshotStream) => HttpReply | Promise<HttpReply>>
  >
}

/** The state as JSON, once it is the client's turn. */
export type SnapshotStream = () => Promise<AsyncIterable<Uint8Array>>

export type SectionName = 'requests' | 'quota' | 'clock' | 'faults' | 'accounts' | 'settings' | 'state'

/** All that a section needs to show itself. */
export interface View {
  readonly control: Control
  readonly directory: AccountDirectory
  readonly journal: RequestJournal
  /** Of the page's address. Each section reads its own names; {@link linkTo} keeps the others. */
  readonly query: Pick<URLSearchParams, 'get' | 'getAll' | 'has' | 'entries'>
  /** Scheme, host and port under which the page was opened. */
  readonly origin: string
  /** Goes into every form; {@link formTo} puts it there. */
  readonly formToken: string
  /** The form that was refused, if the page answers one. */
  readonly refused: RefusedForm | undefined
  /** What an action left to be shown once. */
  readonly notice: { readonly section: SectionName; readonly content: Html } | undefined
}

/** A form that changed nothing; its fields keep what was entered. */
export interface RefusedForm {
  /** `<section>/<action>`. */
  readonly action: string
  readonly fields: Pick<FormData, 'get' | 'getAll' | 'has'>
  /** The form's first line; undefined if the fields have all there is to say. */
  readonly problem: string | undefined
  /** What stands beside fields, by their names. */
  readonly problems: ReadonlyMap<string, string>
}

/**
 * Carries out a form, over the control. What it throws, such as the TypeError of a wrong value, refuses the form: the
 * page comes again with the message, what was entered, and status 422. Throw a {@link FieldError} or a
 * {@link FieldErrors} to name the field.
 */
export type Action = (call: ActionCall) => ActionDone | undefined | Promise<ActionDone | undefined>

export interface ActionCall {
  readonly control: Control
  /** A file, of a form with `hasFiles`, is a `File`. */
  readonly fields: Pick<FormData, 'get' | 'getAll' | 'has'>
}

/** After it, the browser fetches the page again, at the section. */
export interface ActionDone {
  /** Shown once above the section, then forgotten: a new key, or what happened, in words. */
  readonly notice?: Html
  /** Changes to the page's address; null takes a name away. */
  readonly query?: Readonly<Record<string, string | null>>
}

/** A field of a form has a value that cannot be taken. */
export class FieldError extends Error {
  override readonly name = 'FieldError'
  readonly field: string

  constructor(field: string, problem: string) {
    super(problem)
    this.field = field
  }
}

/** Several fields of a form have values that cannot be taken. */
export class FieldErrors extends Error {
  override readonly name = 'FieldErrors'
  /** By field. */
  readonly problems: ReadonlyMap<string, string>

  constructor(summary: string, problems: ReadonlyMap<string, string>) {
    super(summary)
    this.problems = problems
  }
}
