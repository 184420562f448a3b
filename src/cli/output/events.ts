import type { ClientEvent, RawResponse, Stats, Upload } from '../../index.ts'
import type { Failure } from '../failures/failure.ts'
import type { Rows, UploadPlan } from './plan-text.ts'
import type { QuotaView } from './quota-text.ts'
import type { Palette } from './terminal/terminal.ts'

/** The quota according to the headers of an answer; null for a missing header. */
export interface QuotaReport {
  readonly limit: number | null
  readonly remaining: number | null
  /** ISO 8601. */
  readonly reset_at: string | null
  readonly cost: number | null
}

/** The result of one item of a batch. `skipped`: it is there already; `not_started`: the run was stopped first. */
export interface ItemRecord {
  /** `file` for an upload, `slug` for a download or a deletion. */
  readonly subject: { readonly file: string } | { readonly slug: string }
  readonly status: 'uploaded' | 'downloaded' | 'skipped' | 'deleted' | 'failed' | 'unknown' | 'not_started'
  readonly upload: Upload | null
  readonly error: Failure | null
  /** Uploads only: the file whose content the account has already, and when it was uploaded, in epoch milliseconds. */
  readonly known?: { readonly name: string; readonly at: number }
  /** Deletions that are only shown: the name of the upload, empty where none is known. */
  readonly name?: string
  /** Downloads only: the path of the file; null if there is none. */
  readonly path?: string | null
}

/** How items end, as in `3 uploaded`. */
export const goodNewsFirst = [
  'uploaded',
  'downloaded',
  'deleted',
  'to delete',
  'skipped',
  'not started',
  'of unknown outcome',
  'failed',
] as const

export type OutcomeWord = (typeof goodNewsFirst)[number]

export interface UploadWithName {
  readonly upload: Upload
  /** Null where none is known, undefined where names are not shown. */
  readonly name?: string | null | undefined
}

/** Everything that can happen in a command. Commands report these events as data; reporters turn them into output. */
export type CliEvent =
  | { readonly type: 'wire'; readonly event: ClientEvent }
  /** A remark for people: --quiet and --json leave it out. */
  | { readonly type: 'note'; readonly text: string }
  | ({ readonly type: 'warning' } & Warning)
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'stopping'; readonly inFlight: number; readonly graceMs: number }
  | ({ readonly type: 'upload-listed' } & UploadWithName)
  | { readonly type: 'list-ended' }
  /** `several`: more than one was asked for. */
  | { readonly type: 'uploads-shown'; readonly uploads: readonly UploadWithName[]; readonly several: boolean }
  | { readonly type: 'stats-shown'; readonly stats: Stats; readonly quota: QuotaReport }
  /** Pictures and videos of folders, of types that the service does not take; `kind` is for people. */
  | { readonly type: 'media-left-out'; readonly files: readonly { readonly file: string; readonly kind: string }[] }
  | BatchStarted
  /** `total`: its bytes, if known. */
  | {
      readonly type: 'item-started'
      readonly index: number
      readonly name: string
      readonly total?: number | undefined
    }
  /** `bytes`: sent in this attempt, or received; `total`: if known. */
  | { readonly type: 'item-moved'; readonly index: number; readonly bytes: number; readonly total: number | undefined }
  /** An event of the client about one file. */
  | { readonly type: 'item-wire'; readonly index: number; readonly event: ClientEvent }
  /** How to tell what time the batch still takes. */
  | { readonly type: 'batch-expected'; readonly forecast: Forecast }
  | {
      readonly type: 'item-finished'
      readonly index: number
      readonly record: ItemRecord
      /** The line to print on stdout; null for none. */
      readonly link: string | null
    }
  | { readonly type: 'batch-ended'; readonly records: readonly ItemRecord[] }
  | {
      readonly type: 'answer-shown'
      readonly answer: RawAnswer
      readonly include: boolean
      /** Whether it is a page of a list (--paginate). */
      readonly page: boolean
    }
  /** `lines`: as text; a terminal cuts the rows of files to its width. */
  | {
      readonly type: 'plan-shown'
      readonly plan: UploadPlan
      readonly lines: (fitRows?: (rows: Rows) => Rows) => readonly string[]
    }
  /** `lines`: as text. */
  | {
      readonly type: 'quota-shown'
      readonly quota: QuotaView
      readonly lines: (palette: Palette) => readonly string[]
    }
  /** What a command prints on stdout. */
  | ({ readonly type: 'document' } & Document)
  /** A change without a document: a line on stderr. */
  | ({ readonly type: 'effect' } & Document)
  | {
      readonly type: 'emulator-ready'
      readonly ready: EmulatorReady
      /** Further environment variables that clients need, besides address and key. */
      readonly variables: Readonly<Record<string, string>>
      /** To its website; no password if an earlier run or the seed chose it. */
      readonly signIn: { readonly email: string; readonly password?: string } | undefined
      /** Whether a command runs against it, to which stdout belongs. */
      readonly withCommand: boolean
    }
  /** Reported only with --verbose or --debug. */
  | { readonly type: 'request-served'; readonly request: ServedRequest }

/** `data` is the JSON output. */
export interface Document {
  readonly data: unknown
  readonly text: string
  /** Whether people alone read the text, so that a terminal may break its lines. */
  readonly isProse?: true
}

/** A problem that does not stop the command; printed even with --quiet and --json. */
export interface Warning {
  readonly message: string
  readonly hint: string
  /** Whether it takes one line: it says why the run seems to hang. */
  readonly isBrief?: boolean
}

export type EventHandlers = {
  readonly [Type in CliEvent['type']]: (event: Extract<CliEvent, { readonly type: Type }>) => void
}

export function handle(handlers: Partial<EventHandlers>, event: CliEvent): void {
  const handler = handlers[event.type] as ((event: CliEvent) => void) | undefined
  handler?.(event)
}

/** A request to the API of a running emulator, secrets hidden. */
export interface ServedRequest {
  /** ISO 8601, on the emulator's clock. */
  readonly at: string
  readonly method: string
  readonly path: string
  /** Null if the request was not answered. */
  readonly status: number | null
  /** Until the answer was made. */
  readonly duration_ms: number
  /** Of the answer's body. */
  readonly bytes: number | null
  readonly cost: number
  /** The email of the account; null if the request had no valid key. */
  readonly account: string | null
  readonly fault: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly answer_headers: Readonly<Record<string, string>>
}

/** How to show progress; `auto` draws bars if the terminal allows it, and prints lines otherwise. */
export type ProgressChoice = 'auto' | 'bar' | 'plain' | 'none'

export interface BatchStarted {
  readonly type: 'batch-started'
  readonly total: number
  readonly transfer?: {
    /** The status of a transferred file. */
    readonly verb: 'uploaded' | 'downloaded'
    /** Of each file, in bytes; undefined if it is not known. */
    readonly sizes: readonly (number | undefined)[]
    readonly progress: ProgressChoice
  }
}

/** What of a batch is still to be done. */
export interface Remainder {
  /** What each transfer under way has still to move, in bytes; undefined where it is not known. */
  readonly underWay: readonly (number | undefined)[]
  /** The others, in the order in which they start. */
  readonly waiting: readonly Waiting[]
  /** Of all transfers together, lately; undefined where it is not known. */
  readonly bytesPerSecond: number | undefined
}

interface Waiting {
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly bytes: number | undefined
  /** How long it waits at least, in milliseconds. */
  readonly waitMs: number
}

/**
 * How long the rest of a batch takes, in milliseconds, undefined where that is not known, and how long it took to find
 * out.
 * @returns undefined at once, where the time depends on a rate that is not known yet
 */
export type Forecast = (rest: Remainder) => { readonly leftMs: number | undefined; readonly tookMs: number } | undefined

export type RawAnswer = Omit<RawResponse, 'error'>

/** The ready line of `fh emulate --json`. */
export interface EmulatorReady {
  readonly base_url: string
  readonly api_key: string
  readonly control_url: string
  readonly site_url: string
  readonly pid: number
  /** The token for control API calls from other machines; present only if they may reach the emulator. */
  readonly control_token?: string
}

export interface Reporter {
  report(event: CliEvent): void
  /** Called once, at the end; the JSON reporter prints its document here. */
  close(): void
}

export interface Output {
  /** Data only. */
  stdout(text: string): void
  /** Messages, progress, warnings, prompts, errors. */
  stderr(text: string): void
}

/** How much to print besides the data. */
export interface Verbosity {
  readonly quiet: boolean
  readonly verbose: boolean
  /** Adds an HTTP trace, and the stack of a failure, on stderr. */
  readonly debug: boolean
}
