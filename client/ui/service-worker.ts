/** Keeps the page itself in the browser, so that it opens without a network; plans are kept by the page. */
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'

/** The compiler takes this for a page; the build puts the list of files in the place of the name. */
interface Worker {
  readonly __WB_MANIFEST: readonly { readonly url: string; readonly revision: string | null }[]
  skipWaiting(): Promise<void>
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void
}
const worker = self as unknown as Worker

precacheAndRoute([...worker.__WB_MANIFEST])
cleanupOutdatedCaches()
// Other addresses are the server's to answer.
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), { allowlist: [/^\/$/, /^\/t\/[^/?]+(?:\?|$)/] }),
)

// A new version waits until somebody wants it: see parts/update-offer.tsx.
worker.addEventListener('message', ({ data }) => {
  if ((data as { type?: unknown } | null)?.type === 'SKIP_WAITING') void worker.skipWaiting()
})
