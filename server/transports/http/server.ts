import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { badTarget, notHttp, PROBLEM_JSON, problemJson } from './problem.ts'

/** How long clients are waited for. */
export interface Patience {
  /** Milliseconds for the headers, and for a whole request. Slower ones hold a socket for nothing. */
  readonly headersMs: number
  readonly requestMs: number
  /** Milliseconds between two looks at who is late: node's own are 30 s apart. */
  readonly checkMs: number
}
/** A request of 4 MiB over a poor line gets through. */
const PATIENCE: Patience = { headersMs: 10_000, requestMs: 60_000, checkMs: 2_000 }
/** Milliseconds that a client may go on to send a body that nobody reads: some read the answer only then. */
const LEFTOVER_MS = 10_000
/** TCP connections besides the sockets that may be open. More are cut as they come: no request of theirs can be read. */
const SPARE_CONNECTIONS = 5_000
/** Milliseconds that an idle connection is kept: longer than load balancers keep theirs, or they would race with us. */
const KEEP_ALIVE_MS = 65_000
/** Bytes of all headers, the target included. */
const MAX_HEADER_BYTES = 16 * 1024

export interface HttpServer {
  readonly node: Server
  /** @returns the port. @throws Error that says which setting to change */
  listen(port: number, host: string): Promise<number>
  /** From now on each connection ends with its next answer: who comes again goes to another server, or anew to this one. */
  retire(): void
  /**
   * Takes no new connections while those that there are go on: a call that is on its way already is still answered.
   * Resolves when none is left, or after so many milliseconds.
   */
  linger(milliseconds: number): Promise<void>
  /**
   * Takes no new connections, and ends those that there are, each after the answer that it waits for. Resolves when all
   * have ended, upgraded ones included.
   */
  close(): Promise<void>
  /** Ends what is still open, answered or not; not what was upgraded. */
  destroy(): void
}

/**
 * Serves a fetch function over node's HTTP server, with patience for no client.
 * @param connections sockets that may be open, which are requests before they are upgraded
 */
export function createHttpServer(
  fetch: (request: Request, env: Partial<HttpBindings>) => Response | Promise<Response>,
  { connections = Infinity, patience = PATIENCE }: { connections?: number; patience?: Patience } = {},
): HttpServer {
  const sockets = new Set<Socket>()
  const answering = new Map<Duplex, ServerResponse>()
  let isClosing = false
  let isRetiring = false
  const listener = getRequestListener((request, env) => fetch(request, env as HttpBindings), { errorHandler: refuse })
  const options = {
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const node = createServer(options, (request, response) => {
    const { socket } = request
    answering.set(socket, response)
    if (isRetiring) response.shouldKeepAlive = false
    response.once('finish', () => {
      if (!request.complete) setTimeout(() => (request.complete ? undefined : socket.destroy()), LEFTOVER_MS).unref()
    })
    response.once('close', () => {
      if (answering.get(socket) === response) answering.delete(socket)
      // Node closes connections that are idle at the moment it stops, not those that become so.
      if (isClosing && !answering.has(socket)) socket.destroySoon()
    })
    void listener(request, response)
  })

  if (Number.isFinite(connections)) node.maxConnections = connections + SPARE_CONNECTIONS
  node.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // From here on it belongs to whoever upgrades it.
  node.on('upgrade', ({ socket }) => sockets.delete(socket))

  node.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // In the middle of an answer another one would be read as a part of it.
    const isSilent = error.code === 'ECONNRESET' || !socket.writable || answering.get(socket)?.headersSent === true
    if (isSilent) socket.destroy()
    else socket.end(lastAnswer(error.code ?? ''), () => socket.destroy())
  })

  return {
    node,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        const fail = (error: NodeJS.ErrnoException): void => reject(new Error(explain(error, port, host)))
        node.once('error', fail)
        node.listen(port, host, () => {
          node.off('error', fail)
          resolve((node.address() as AddressInfo).port) // of a server that listens on TCP
        })
      }),
    retire: () => {
      isRetiring = true
      for (const response of answering.values()) if (!response.headersSent) response.shouldKeepAlive = false
    },
    linger: (milliseconds) => {
      // Not node's own close: that one cuts connections whose next request may be on its way.
      NetServer.prototype.close.call(node)
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          for (const socket of sockets) socket.off('close', check)
          resolve()
        }
        const check = (): void => {
          // A socket tells of its end before it is taken out here.
          setImmediate(() => (sockets.size === 0 ? end() : undefined))
        }
        const timer = setTimeout(end, milliseconds)
        for (const socket of sockets) socket.once('close', check)
        check()
      })
    },
    close: () => {
      isClosing = true
      for (const socket of sockets) if (!answering.has(socket)) socket.destroySoon()
      return new Promise((resolve) => node.close(() => resolve()))
    },
    destroy: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** For what the adapter cannot make a request of, such as a broken Host. */
function refuse(): Response {
  const body = problemJson(badTarget)
  return new Response(body, { status: 400, headers: { 'Content-Type': PROBLEM_JSON, 'Cache-Control': 'no-store' } })
}

/** What to write to a socket on which no request could be read. */
function lastAnswer(code: string): string {
  const problem =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? notHttp(408, 'Request Timeout', 'The request took too long.')
      : code === 'HPE_HEADER_OVERFLOW'
        ? notHttp(431, 'Headers Too Large', `The headers are larger than ${MAX_HEADER_BYTES} bytes.`)
        : notHttp(400, 'Bad Request', 'This is not HTTP/1.1.')
  const { status, title } = problem
  const body = problemJson(problem)
  const headers = ['Connection: close', `Content-Type: ${PROBLEM_JSON}`, `Content-Length: ${Buffer.byteLength(body)}`]
  return [`HTTP/1.1 ${status} ${title}`, ...headers, 'Cache-Control: no-store', '', body].join('\r\n')
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} of ${host} is in use. Set PORT to another one.`
  if (error.code === 'EACCES')
    return `Port ${port} of ${host} may not be used by this user. Set PORT to one above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return `${host} is not an address of this machine. Set HOST to one that is.`
  }
  return `The server cannot listen on port ${port} of ${host}: ${error.message}`
}
