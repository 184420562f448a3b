// With this module a program imports the sources as they are. Node removes the types; what the build makes is made here:
// the version, and the texts of pages, which nothing needs and so are empty.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) => next(specifier.replace(/\?(text|script)$/, '#$1'), context),
  load(url, context, next) {
    if (/#(text|script)$/.test(url)) return { format: 'module', source: "export default ''", shortCircuit: true }
    const isVersion = url.endsWith('/package.json') && !url.includes('/node_modules/')
    if (isVersion) return { format: 'module', source: "export const version = '0.0.0'", shortCircuit: true }
    return next(url, context)
  },
})
