import { WebSocket } from 'ws'

/** The code with which ws ends a connection that brought more than a message may have. */
const MESSAGE_TOO_BIG = 1009

/**
 * A socket that says when a message is too large, instead of closing at once with 1009: clients do not take that code for
 * final, and would bring the same message again and again. From then on nothing that comes is read.
 */
export class PlanWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    if (code === MESSAGE_TOO_BIG) this.emit('oversized')
    else super.close(code, reason)
  }
}
