// @vitest-environment jsdom
import { environmentTests } from './environment-tests.ts'

environmentTests()
