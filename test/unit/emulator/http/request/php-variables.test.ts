import { expect, test } from 'vitest'
import { PhpArray, type PhpValue, parseVariables } from '../../../../../emulator/http/request/php-variables.ts'
import { phpFacts } from '../../../../helpers/php-facts.ts'

type Pairs = readonly (readonly [string, string | Pairs])[]

const pairs = (list: PhpArray): Pairs => [...list.values].map(([name, value]) => [name, plain(value)])
const plain = (value: PhpValue) => (value instanceof PhpArray ? pairs(value) : value)

test.each(phpFacts<readonly [string, Pairs]>('queries'))('the query %.80j has PHP’s variables', (...row) => {
  const [query, made] = row
  expect(pairs(parseVariables(query))).toEqual(made)
})
