import { expect, test } from 'vitest'
import { PhpArray, type PhpValue, parseVariables } from '../../../../../emulator/http/request/php-variables.ts'
import { phpFacts } from '../../../../helpers/php-facts.ts'
import { processorMs } from '../../../../helpers/processor-time.ts'

type Pairs = readonly (readonly [string, string | Pairs])[]

const pairs = (list: PhpArray): Pairs => [...list.values].map(([name, value]) => [name, plain(value)])
const plain = (value: PhpValue) => (value instanceof PhpArray ? pairs(value) : value)

test.each(phpFacts<readonly [string, Pairs]>('queries'))('the query %.80j has PHP’s variables', (...row) => {
  const [query, made] = row
  expect(pairs(parseVariables(query))).toEqual(made)
})

test('64 KB of any special characters in a query are read in linear time', async () => {
  for (const hostile of ['&', '=', '%', '+', '.', '[', ']', '[]', ' ', '\0', 'a[', 'a[]&', 'a[][', '__Host-', '-']) {
    const many = hostile.repeat(65_536 / hostile.length)
    const texts = [many, `a=${many}`, `${many}x`, `a[${many}`, `a[b${many}]`]
    expect(await processorMs(() => texts.map(parseVariables)), hostile).toBeLessThan(1_000)
  }
})
