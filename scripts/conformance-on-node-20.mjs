/**
 * `node --import` this for the MCP conformance suite: it imports `globSync` of node:fs, which came with Node 22, for a
 * command of its own that we do not run. Every other import of it is left as it is.
 */
import { register } from 'node:module'

const fs = `
export * from 'node:fs'
export { default } from 'node:fs'
export const globSync = () => { throw new Error('not on Node 20') }
`
const hooks = `
const fs = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(fs)}`)}
export const resolve = (specifier, context, next) =>
  specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    ? { url: fs, shortCircuit: true }
    : next(specifier, context)
`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
