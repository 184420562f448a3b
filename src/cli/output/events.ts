import type { ClientEvent, Upload } from '../../index.ts'
import type { Failure } from '../failures/failure.ts'
import type { Transfers } from './progress/transfers.ts'
import type { Palette } from './terminal/terminal.ts'

export interface ItemRecord {
  readonly subject: { readonly file: string } | { readonly slug: string }
  readonly status: 'uploaded' | 'downloaded' | 'skipped' | 'deleted' | 'failed' | 'unknown' | 'not_started'
  readonly upload: Upload | null
  readonly error: Failure | null
  /** Uploads only: the file whose content the account has already, and when it was uploaded, in epoch milliseconds. */
  readonly known?: { readonly name: string; readonly at: number }
  /** Deletions only: the name of the upload, empty where none is known. */
  readonly name?: string
  /** Downloads only: the path of the file; null if there is none. */
  readonly path?: string | null
}

export type Subject = ItemRecord['subject']

export interface Page {
  readonly palette: Palette
  /** Of the terminal, in columns; undefined in a pipe or a file, where values stand as the service sent them, after tabs. */
  readonly width: number | undefined
  readonly fields: readonly string[] | undefined
  readonly now: number
}

export interface Document {
  readonly data: unknown
  readonly text: string | ((page: Page) => readonly string[])
  readonly items?: readonly unknown[]
  /** Whether it is one of several, of which JSON makes an array. */
  readonly isPart?: boolean
}

export type PlainDocument = Pick<Document, 'data'> & { readonly text: string }

/** A problem that does not stop the command; printed even with --quiet and --json. */
export interface Warning {
  readonly message: string
  readonly hint?: string | undefined
}

/** Everything that can happen in a command. Commands report these events as data; printers turn them into output. */
export type CliEvent =
  | { readonly type: 'wire'; readonly event: ClientEvent }
  /** A remark for people: --quiet and --json leave it out. */
  | { readonly type: 'note'; readonly text: string }
  | ({ readonly type: 'warning' } & Warning)
  | { readonly type: 'failed'; readonly failure: Failure; readonly subject?: Subject }
  /** `name`: null where none is known, undefined where names are not shown. */
  | { readonly type: 'upload-listed'; readonly upload: Upload; readonly name?: string | null | undefined }
  | ({ readonly type: 'document' } & Document)
  /** Printed at once, in JSON as one line; --quiet does not silence that. */
  | { readonly type: 'line'; readonly stream: keyof Output; readonly data: object; readonly text: readonly string[] }
  /** Pictures and videos of folders, of types that the service does not take; `kind` is for people. */
  | { readonly type: 'media-left-out'; readonly files: readonly { readonly file: string; readonly kind: string }[] }
  /** `progress`: undefined where nothing moves. It ends with its last item. */
  | { readonly type: 'batch-started'; readonly transfers: Transfers; readonly progress?: ProgressChoice }
  | ({ readonly type: 'item-finished' } & ItemFinished)

type EventHandlers = {
  readonly [Type in CliEvent['type']]: (event: Extract<CliEvent, { readonly type: Type }>) => void
}

/** Calls the handler of an event, if there is one. */
export function handle(handlers: Partial<EventHandlers>, event: CliEvent): void {
  const handler = handlers[event.type] as ((event: CliEvent) => void) | undefined
  handler?.(event)
}

/** How to show progress; `auto` draws bars if the terminal allows it, and prints lines otherwise. */
export type ProgressChoice = 'auto' | 'bar' | 'plain' | 'none'

export interface ItemFinished {
  readonly index: number
  readonly record: ItemRecord
  /** The line to print on stdout; null for none. */
  readonly link: string | null
}

export interface Reporter {
  report(event: CliEvent): void
  /** Called once, at the end; the JSON printer prints its document here. */
  close(): void
}

/** stdout: data only. */
export type Output = Readonly<Record<'stdout' | 'stderr', (text: string) => void>>

/** `debug`: an HTTP trace, and the stack of a failure, on stderr. */
export type Verbosity = Readonly<Record<'quiet' | 'verbose' | 'debug', boolean>>
