import { recall, remember } from './identity.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'planroom.theme'

export function readTheme(): Theme {
  const known = recall(KEY)
  return known === 'light' || known === 'dark' ? known : 'system'
}

/** The style sheet does the rest, by `color-scheme`. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

export function saveTheme(theme: Theme): void {
  remember(KEY, theme === 'system' ? null : theme)
  showTheme(theme)
}
