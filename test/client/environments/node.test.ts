// @vitest-environment node
import { environmentTests } from './environment-tests.ts'

environmentTests()
