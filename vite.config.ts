import { defineConfig } from 'vite'

/** The page, into dist/ui: the server finds it there. */
// eslint-disable-next-line import/no-default-export -- Vite reads nothing else
export default defineConfig({
  root: 'client/ui',
  logLevel: 'warn',
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    target: 'es2023',
    // Under the page's Content-Security-Policy nothing comes from a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
})
