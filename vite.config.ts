import { defineConfig } from 'vite'
import { serviceWorker } from './scripts/service-worker.ts'

/** The page, into dist/ui: the server finds it there. */
// eslint-disable-next-line import/no-default-export -- Vite reads nothing else
export default defineConfig({
  root: 'client/ui',
  logLevel: 'warn',
  plugins: [serviceWorker()],
  build: {
    rolldownOptions: {
      input: { index: 'client/ui/index.html', 'service-worker': 'client/ui/service-worker.ts' },
      output: {
        // A worker rules over the addresses beside it, and is found again by its name.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
    outDir: '../../dist/ui',
    emptyOutDir: true,
    target: 'es2023',
    // Under the page's Content-Security-Policy nothing comes from a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
})
