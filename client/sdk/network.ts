interface Listening {
  /** The network is back. */
  hurry(): void
  /** The network is gone. */
  lost(): void
}

/** Passes on what the browser knows of the network. @param current who is to hear it @returns how to stop */
export function watchNetwork(current: () => Listening): () => void {
  const onOnline = (): void => current().hurry()
  const onOffline = (): void => current().lost()
  globalThis.addEventListener?.('online', onOnline)
  globalThis.addEventListener?.('offline', onOffline)
  return () => {
    globalThis.removeEventListener?.('online', onOnline)
    globalThis.removeEventListener?.('offline', onOffline)
  }
}
