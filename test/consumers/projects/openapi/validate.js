import { createRequire } from 'node:module'
import { Validator } from '@seriousme/openapi-schema-validator'

const path = createRequire(import.meta.url).resolve('filehost/openapi.json')
process.stdout.write(`${JSON.stringify(await new Validator().validate(path))}\n`)
