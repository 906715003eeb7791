/**
 * The WebSocket to use: the system's own; before Node 22 that of the package ws, if it is installed. It is asked for
 * instead of imported, so that no page is bundled with it.
 * @throws Error that says what to do
 */
export function defaultWebSocket(): typeof WebSocket {
  if (typeof globalThis.WebSocket === 'function') return globalThis.WebSocket
  try {
    const { createRequire } = globalThis.process.getBuiltinModule('node:module')
    return createRequire(import.meta.url)('ws') as typeof WebSocket
  } catch (cause) {
    throw new Error('This system has no WebSocket: install the package ws, or pass one as `WebSocket`.', { cause })
  }
}
