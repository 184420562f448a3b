#!/usr/bin/env node
const problem = require('./node-version.js')
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}
require('../dist/cli/main.cjs')
