/** Promises that wait for the same thing. */
export class Waiters {
  readonly #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []

  /** @param end why it will never be, or null */
  wait(isSo: boolean, end: string | null): Promise<void> {
    if (isSo) return Promise.resolve()
    if (end !== null) return Promise.reject(new Error(end))
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  resolve(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  reject(why: string): void {
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(why))
  }
}

/** Resolves with the work, or after so many milliseconds without it. */
export async function inTime(work: Promise<void>, milliseconds: number, onLate: () => void): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      onLate()
      resolve()
    }, milliseconds)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
