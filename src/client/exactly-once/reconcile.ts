import { invalidValue } from '../../checks/coded-error.ts'
import { observer } from '../../checks/observer.ts'
import { checkOptions } from '../../checks/options.ts'
import { kindOf } from '../../checks/quoted.ts'
import type { Clock } from '../../clock.ts'
import type { Upload } from '../../protocol/resources.ts'
import type { SeenPage } from '../calls/read-calls.ts'
import { eachPage, WrongPagesError } from '../each-page.ts'
import { FileHostError, type NoProofError, UnexpectedResponseError } from '../errors.ts'
import { reconcileOptions } from '../option-checks.ts'
import type { Client, ListOptions, ReconcileOptions } from '../options.ts'
import type { TrackedUpload, UploadRegistry } from './account-uploads.ts'
import { noPrint, printOfSource, type ReadPrint } from './file-print.ts'
import type { CompareBytes, TellApart } from './lookalikes.ts'
import { matchUploads, mayGoBackTo, type SoughtUpload } from './match-uploads.ts'
import type { ServiceClock } from './service-clock.ts'
import type { UncertainUpload } from './uncertain-upload.ts'
import type { Reconciliation, UploadIntent } from './upload-intent.ts'

interface LookOptions extends Omit<ReconcileOptions, 'sources' | 'tellApart'> {
  /** The uploads that are looked for, as they are tracked: they do not count as other uploads. */
  readonly selves?: readonly TrackedUpload[]
  readonly tellApart: TellApart
  readonly printOf: (intent: UploadIntent) => ReadPrint
}

/** Finds out from the list whether uploads were stored. @throws FileHostError when the list cannot be read */
export type Reconcile = (
  uploads: readonly UncertainUpload[],
  options: LookOptions,
) => Promise<readonly Reconciliation[]>

interface ReconcileTools {
  readonly look: (options: ListOptions) => Promise<SeenPage>
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly registry: UploadRegistry
  /** Whether no other program uploads to the account, so that the list alone proves whose an entry is. */
  readonly isAlone: boolean
}

/** The list is read at most so often, 5 s apart, for one who cannot tell yet. */
const MOST_LOOKS = 13
/** A list that lags shows every upload this long after the end of its attempt. */
const LAST_LOOK_AFTER_MS = 5_000

/**
 * Reads the list at once, and a second time for uploads that it did not show, when a list that lags shows them. An entry
 * that is found belongs to its upload from then on: this client takes it for no other upload.
 */
export function createReconcile({ clock, serviceClock, registry, isAlone, ...tools }: ReconcileTools): Reconcile {
  async function look(
    uploads: readonly UncertainUpload[],
    options: LookOptions,
    isLast: boolean,
  ): Promise<readonly Told[]> {
    const { listed, doubt } = await readBackTo(uploads, options.signal)
    const sought = (upload: UncertainUpload): SoughtUpload => ({
      intent: upload.intent,
      timing: upload.timing(),
      isKnown: (slug) => registry.isOurs(slug) || upload.wasSeenBefore(slug),
    })
    const others = registry.otherUncertain(options.selves).map(sought)
    const matches = matchUploads(uploads.map(sought), listed, { others, treatmentOf: registry.treatmentOf })
    registry.saw(listed)
    const outcomes = matches.map((match): Reconciliation => {
      if (match.type === 'missing') return { type: 'not-stored' }
      return match.type === 'stored' && !isAlone ? { type: 'ambiguous', candidates: [match.upload] } : match
    })
    const told = await decideOpen(uploads, outcomes, options, isLast)
    for (const outcome of told) if (outcome?.type === 'stored') registry.adopted(outcome.upload)
    if (doubt === undefined) return told
    const found = told.map((outcome) => (outcome?.type === 'stored' ? outcome : undefined))
    if (isLast && found.every((outcome) => outcome === undefined)) throw doubt
    return found
  }

  /** Reads the newest page, and further ones as long as they may hold uploads of that time, and nothing puts them in doubt. */
  async function readBackTo(wanted: readonly UncertainUpload[], signal: AbortSignal | undefined): Promise<Listed> {
    const listed: Upload[] = []
    let doubt: NoProofError | undefined
    const read = async (page: number) => {
      const seen = await readUnspoilt({ page, signal })
      doubt ??= seen.doubt
      return seen.page
    }
    try {
      for await (const page of eachPage(read)) {
        listed.push(...page)
        serviceClock.listed(page)
        const last = page.at(-1)
        const timings = wanted.map((upload) => upload.timing())
        if (doubt !== undefined || (last !== undefined && !mayGoBackTo(last, timings))) break
      }
    } catch (error) {
      if (!(error instanceof WrongPagesError)) throw error
      doubt ??= error
    }
    return { listed, doubt }
  }

  /** Asks once more for a page that arrived whole but cannot be read. */
  async function readUnspoilt(options: ListOptions): Promise<SeenPage> {
    try {
      return await tools.look(options)
    } catch (error) {
      if (!(error instanceof UnexpectedResponseError) || error.status !== 200) throw error
      return await tools.look(options)
    }
  }

  return async (uploads, options) => {
    const outcomes = new Map<UncertainUpload, Told>()
    const isQuiet = new Set(uploads.filter((upload) => upload.quietMs() >= LAST_LOOK_AFTER_MS))
    const isOpen = (upload: UncertainUpload) => outcomes.get(upload)?.type !== 'stored'
    const isUntold = (upload: UncertainUpload) => outcomes.get(upload) === undefined
    /** What was found is this client's from now on: it is reported, even if the list cannot be read for the others. */
    const unlessFound = (error: unknown): readonly Told[] => {
      if (!(error instanceof FileHostError) || uploads.every(isOpen)) throw error
      return []
    }
    for (let [looks, left] = [1, uploads]; left.length > 0; looks += 1) {
      const isLast = looks === MOST_LOOKS
      const told = await look(left, options, isLast).catch(unlessFound)
      for (const [index, upload] of left.entries()) outcomes.set(upload, told[index])
      left = left.filter(isOpen)
      if (isLast || told.length === 0 || left.every((upload) => isQuiet.has(upload) && !isUntold(upload))) break
      await wait(left.some(isUntold) ? LAST_LOOK_AFTER_MS : untilQuiet(left), looks, options)
      for (const upload of left) isQuiet.add(upload)
    }
    return uploads.map((upload) => outcomes.get(upload) ?? { type: 'ambiguous', candidates: [] })
  }

  async function wait(ms: number, looks: number, { onWaiting, signal }: LookOptions): Promise<void> {
    if (looks === 1) onWaiting?.(ms)
    await clock.sleep(ms, signal)
  }
}

/** Milliseconds until a list that lags shows each of them. */
function untilQuiet(uploads: readonly UncertainUpload[]): number {
  return Math.max(0, LAST_LOOK_AFTER_MS - Math.min(...uploads.map((upload) => upload.quietMs())))
}

/** Undefined where the list has to be read again. */
type Told = Reconciliation | undefined

interface Listed {
  readonly listed: readonly Upload[]
  /** Why an upload may be there that is not listed. */
  readonly doubt: NoProofError | undefined
}

async function decideOpen(
  uploads: readonly UncertainUpload[],
  outcomes: readonly Reconciliation[],
  { tellApart, printOf }: Pick<LookOptions, 'tellApart' | 'printOf'>,
  isLast: boolean,
): Promise<Told[]> {
  const questions = uploads.flatMap(({ intent }, index) => {
    const outcome = outcomes[index]
    return outcome?.type === 'ambiguous' ? [{ intent, candidates: outcome.candidates, print: printOf(intent) }] : []
  })
  const answers = questions.length === 0 ? [] : [...(await tellApart(questions))]
  return outcomes.map((outcome) => {
    // Without an answer the outcome stays open.
    if (outcome.type !== 'ambiguous' || answers.length === 0) return outcome
    return answers.shift() ?? (isLast ? outcome : undefined)
  })
}

/**
 * Reconciles intents of uploads that have ended. Until they are known, and if they stay open, they may explain what the list
 * shows of others.
 */
export function createReconcileIntents(
  reconcile: Reconcile,
  toUncertain: (intent: UploadIntent) => UncertainUpload,
  { registry, compareBytes }: { readonly registry: UploadRegistry; readonly compareBytes: CompareBytes },
): Client['reconcile'] {
  return async (intents, given = {}) => {
    if (!Array.isArray(intents)) {
      throw invalidValue(`client.reconcile takes a list of intents, but got ${kindOf(intents)}`)
    }
    checkOptions('client.reconcile', given, reconcileOptions)
    const { sources = [], tellApart, ...options } = given
    const onWaiting = observer('onWaiting of client.reconcile', options.onWaiting)
    registry.untrack(intents)
    const uploads = intents.map(toUncertain)
    const selves = uploads.map((upload) => () => upload)
    const untrack = selves.map((self) => registry.track(self))
    const prints = new Map(intents.map((intent, index) => [intent, printOfSource(sources[index], intent)]))
    const outcomes = await reconcile(uploads, {
      ...options,
      onWaiting,
      selves,
      tellApart: tellApart ?? compareBytes(options.signal),
      printOf: (intent) => prints.get(intent) ?? noPrint,
    })
    for (const [index, { type }] of outcomes.entries()) if (type !== 'ambiguous') untrack[index]?.()
    return outcomes
  }
}
