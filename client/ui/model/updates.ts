import { Store } from './store.ts'

/** Milliseconds between two looks whether there is a new version of the page: tabs stay open for days. */
const LOOK_MS = 1_800_000

/** The page as the browser keeps it, and whether there is a newer one. */
export class Updates extends Store<{ readonly isThere: boolean }> {
  #take: () => void = () => {}

  constructor() {
    super({ isThere: false })
  }

  /** Lets the browser keep the page. Where it cannot, the page comes from the server each time. */
  async keepPage(): Promise<void> {
    if (!('serviceWorker' in navigator)) return
    const { Workbox } = await import('workbox-window')
    const workbox = new Workbox('/service-worker.js')
    let isWanted = false
    workbox.addEventListener('waiting', () => this.set({ isThere: true }))
    // Another tab may have taken it; what is done here is not cut off for that.
    workbox.addEventListener('controlling', () => {
      if (isWanted) location.reload()
    })
    const registration = await workbox.register()
    this.#take = () => {
      // Another tab may have taken it: then nothing waits any more, and it comes with a reload.
      if (registration?.waiting === null) return location.reload()
      isWanted = true
      workbox.messageSkipWaiting()
    }
    setInterval(() => void workbox.update().catch(() => {}), LOOK_MS)
  }

  /** Loads the new version now. */
  take(): void {
    this.#take()
  }

  later(): void {
    this.set({ isThere: false })
  }
}
