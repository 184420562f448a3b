import { test } from 'vitest'

test('ends at once', () => {})
