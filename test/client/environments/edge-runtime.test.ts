// @vitest-environment edge-runtime
import { environmentTests } from './environment-tests.ts'

environmentTests()
