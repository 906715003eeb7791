import { type Logger, pino } from 'pino'
import { type App, openApp } from './app.ts'
import { readConfig } from './config.ts'

/** Never in a log, wherever they stand in what is logged. */
const SECRETS = ['authorization', 'token', 'secret', 'password', 'cookie']

/** Lines are written behind the event loop, so that a reader that is slow holds nobody up. */
const output = pino.destination({ fd: process.stdout.fd, sync: false })

function createLog(level: string): Logger {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  return pino({ level, base: null, redact: { paths, censor: '[redacted]' } }, output)
}

/** Ends now, come what may: a thread that hangs on its disk would keep process.exit waiting. */
function cut(): never {
  process.kill(process.pid, 'SIGKILL')
  process.exit(1)
}

/**
 * Ends with exit code 0 after a signal; at a second one, or when closing fails, it is cut. What is opening is opened first.
 * Who presses Ctrl-C does not want to wait for anybody's load balancer.
 */
function closeOnSignal(opening: Promise<App>, log: Logger): void {
  let isClosing = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isClosing) cut()
    isClosing = true
    log.info({ signal }, 'closing')
    opening
      .then((app) => app.close(signal === 'SIGTERM'))
      .then(
        () => {
          log.info({}, 'closed')
          process.exit(0)
        },
        (error: unknown) => {
          log.error({ err: error }, 'closing failed')
          // What is not written by now would be lost.
          output.flushSync()
          cut()
        },
      )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

async function main(): Promise<void> {
  const config = readConfig()
  const log = createLog(config.logLevel)
  // Whatever threw has left its state half changed. What was answered is on the disk; the rest is not to be trusted.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, event)
      process.exit(1)
    })
  }
  const opening = openApp(config, log)
  closeOnSignal(opening, log)
  const app = await opening
  try {
    const { url } = await app.listen()
    log.info({ url, dataDirectory: config.dataDirectory }, `listening on ${url}`)
  } catch (error) {
    await app.close()
    throw error
  }
}

main().catch((error: unknown) => {
  console.error(`planroom: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
})
