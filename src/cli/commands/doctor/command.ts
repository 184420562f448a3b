import type { Command } from 'commander'
import { startTimer } from '../../../clock.ts'
import type { CommandResult, Context, Start } from '../../context/context.ts'
import { printable } from '../../format/format.ts'
import { alignColumns } from '../../output/tables/columns.ts'
import { type Check, each, inTurn } from './check.ts'
import { ledgerLooks } from './ledger-checks.ts'
import { localLooks } from './local-checks.ts'
import { networkLooks } from './network-checks.ts'
import { createServiceLooks } from './service-checks.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Check settings, connection and key, for two units.')
    .addHelpText('after', examples)
    .action(() => start(diagnose))
}

const examples = `
Every check ends with ok, warn, fail or skip, and a hint how to fix it; those
to act on come first, and those that take long last. -v adds what dialect the
service speaks.
Exits with the code of the first failure.

Examples:
  fh doctor
  fh doctor --profile work --json`

/** A check that takes longer, as where it waits for quota, does not hold back what is known already. */
const SOON_MS = 300

async function diagnose(context: Context): Promise<CommandResult> {
  const { looks, dialect } = createServiceLooks(context)
  const known: Check[] = []
  let printed = 0
  const failed = () => known.find(({ status }) => status === 'fail')
  const print = (traits: object | null) => {
    const checks = known.map(({ name, status, message, hint }) => ({ name, status, message, hint }))
    const data = { ok: failed() === undefined, checks, dialect: dialect() }
    context.print({ data, text: diagnosisText(checks.slice(printed), traits), isProse: true })
    printed = known.length
  }
  known.push(...(await each(localLooks(context))))
  const isBroken = failed()?.name === 'config'
  const stopTimer = startTimer(context.clock, SOON_MS, () => print(null))
  try {
    if (!isBroken) known.push(...(await inTurn(ledgerLooks(context))))
    known.push(...(await inTurn({ ...networkLooks(context), ...looks }, isBroken ? 'fix config first' : undefined)))
  } finally {
    stopTimer()
  }
  print(context.flags.verbose ? dialect() : null)
  return { type: 'exit', code: failed()?.exitCode ?? 0 }
}

/** What a person can act on comes first. */
const urgency = ['fail', 'warn', 'ok', 'skip']

function diagnosisText(checks: readonly Omit<Check, 'exitCode'>[], dialect: object | null): string {
  const sorted = checks.toSorted((a, b) => urgency.indexOf(a.status) - urgency.indexOf(b.status))
  // Those that are printed later stand below those that were printed at once.
  const lines = alignColumns(
    sorted.map(({ status, name, message }) => [status.padEnd(4), name.padEnd(11), printable(message)]),
  )
  const withHints = lines.flatMap((line, index) => {
    const hint = sorted[index]?.hint
    return hint ? [line, `      ${printable(hint)}`] : [line]
  })
  const found = Object.entries(dialect ?? {}).filter(([, value]) => value !== null && String(value) !== '')
  const rows = alignColumns(found.map(([name, value]) => [`  ${name}`, printable(String(value))]))
  return [...withHints, ...(rows.length === 0 ? [] : ['', 'Dialect of the service:', ...rows])].join('\n')
}
