import './styles/base.css'
import './styles/top-bar.css'
import './styles/filter-bar.css'
import './styles/page.css'
import './styles/home.css'
import './styles/outline.css'
import './styles/side.css'
import './styles/board.css'
import './styles/dialogs.css'
import './styles/print.css'
import './styles/forced-colors.css'
import './styles/shell.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readTheme, showTheme } from './model/theme.ts'
import { Updates } from './model/updates.ts'

showTheme(readTheme())
const root = document.querySelector('#root')
const updates = new Updates()
if (root !== null) createRoot(root).render(<App updates={updates} />)
// First what was asked for, then what is for later.
window.addEventListener('load', () => void updates.keepPage().catch(() => {}))
