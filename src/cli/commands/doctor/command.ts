import type { Command } from 'commander'
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
to act on come first. -v adds what dialect the service speaks.
Exits with the code of the first failure.

Examples:
  fh doctor
  fh doctor --profile work --json`

async function diagnose(context: Context): Promise<CommandResult> {
  const local = await each(localLooks(context))
  const isBroken = local.some(({ name, status }) => name === 'config' && status === 'fail')
  const ledger = isBroken ? [] : await inTurn(ledgerLooks(context))
  const { looks, dialect } = createServiceLooks(context)
  const beyond = await inTurn({ ...networkLooks(context), ...looks }, isBroken ? 'fix config first' : undefined)
  const all = [...local, ...ledger, ...beyond]
  const failed = all.find(({ status }) => status === 'fail')
  const checks = all.map(({ name, status, message, hint }) => ({ name, status, message, hint }))
  const data = { ok: failed === undefined, checks, dialect: dialect() }
  context.print({ data, text: diagnosisText(checks, context.flags.verbose ? data.dialect : null), isProse: true })
  return { type: 'exit', code: failed?.exitCode ?? 0 }
}

/** What a person can act on comes first. */
const urgency = ['fail', 'warn', 'ok', 'skip']

function diagnosisText(checks: readonly Omit<Check, 'exitCode'>[], dialect: object | null): string {
  const sorted = checks.toSorted((a, b) => urgency.indexOf(a.status) - urgency.indexOf(b.status))
  const lines = alignColumns(sorted.map(({ status, name, message }) => [status, name, printable(message)]))
  const withHints = lines.flatMap((line, index) => {
    const hint = sorted[index]?.hint
    return hint ? [line, `      ${printable(hint)}`] : [line]
  })
  const found = Object.entries(dialect ?? {}).filter(([, value]) => value !== null && String(value) !== '')
  const rows = alignColumns(found.map(([name, value]) => [`  ${name}`, printable(String(value))]))
  return [...withHints, ...(rows.length === 0 ? [] : ['', 'Dialect of the service:', ...rows])].join('\n')
}
