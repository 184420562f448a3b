// @vitest-environment happy-dom
import { environmentTests } from './environment-tests.ts'

environmentTests()
