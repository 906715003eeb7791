import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Answers of an address, in milliseconds. */
export interface Answers {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly slowest: number
}

/** Asks again and again, one at a time, until it is stopped. One that takes longer than the pause delays the next. */
export function probe(ask: () => Promise<unknown>, pauseMs = 20): { stop(): Promise<Answers> } {
  const times: number[] = []
  const end = new AbortController()
  const run = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const began = performance.now()
      await ask()
      times.push(performance.now() - began)
      await sleep(pauseMs)
    }
  }
  const done = run()
  return {
    stop: async () => {
      end.abort()
      await done
      return summary(times)
    },
  }
}

export function summary(times: readonly number[]): Answers {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number => Math.round((sorted[Math.floor(sorted.length * part)] ?? 0) * 10) / 10
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), slowest: Math.round(sorted.at(-1) ?? 0) }
}

/** Seconds of processor time that a process has used. Linux. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
