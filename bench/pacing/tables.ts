import { printByKind } from './by-kind.ts'
import type { TableOptions } from './cells.ts'
import { printConditions } from './conditions.ts'
import { printContest } from './contest.ts'
import { printQuotaModelCost } from './quota-model-cost.ts'

/** All tables, one after another. */
export async function printTables(options: TableOptions): Promise<void> {
  await printByKind(options)
  await printConditions(options)
  await printContest(options)
  printQuotaModelCost()
}
