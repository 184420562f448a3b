// The first import of the library: on an older Node, what it needs would fail in words of its own.
import problem from './node-version.js'

if (problem !== undefined) throw Object.assign(new Error(problem), { code: 'old-node' })
