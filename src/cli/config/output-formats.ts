import type { Reporter } from '../output/events.ts'
import type { JsonReporterOptions } from '../output/json.ts'

interface OutputFormat {
  readonly help: string
  /** Whether a command can print it. @param entry `lines`: whether it prints its items one by one */
  canPrint(entry: { readonly lines: boolean }, command: string): boolean
  /** Loads the code of the format first: most runs print text. */
  createReporter(options: Omit<JsonReporterOptions, 'lines'>): Promise<Reporter>
}

/** The formats for programs, by the name of their flag; without a flag a run prints text. */
const outputFormats = {
  json: {
    help: 'one JSON document',
    canPrint: () => true,
    createReporter: (options) => loadJson({ ...options, lines: false }),
  },
  jsonl: {
    help: 'JSON lines as items finish (upload, list, delete)',
    canPrint: ({ lines }) => lines,
    createReporter: (options) => loadJson({ ...options, lines: true }),
  },
} as const satisfies Readonly<Record<string, OutputFormat>>

type FormatName = keyof typeof outputFormats

export type FormatFlags = { readonly [Name in FormatName]?: boolean }

export const formatNames = Object.keys(outputFormats) as readonly FormatName[]

export function formatOf(name: FormatName): OutputFormat {
  return outputFormats[name]
}

/** The name of the format that is asked for; undefined for text. Of two, which are refused, the later in the table. */
export function chosenFormat(flags: FormatFlags): FormatName | undefined {
  return formatNames.findLast((name) => flags[name])
}

/** The format that the words of a command line ask for, where the rest of it may be wrong. */
export function formatAmong(words: readonly string[]): FormatFlags {
  return Object.fromEntries(formatNames.map((name) => [name, words.includes(`--${name}`)]))
}

async function loadJson(options: JsonReporterOptions): Promise<Reporter> {
  const { createJsonReporter } = await import('../output/json.ts')
  return createJsonReporter(options)
}
