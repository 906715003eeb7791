import type { Session } from '../model/session.ts'

export function copyText(session: Session, text: string): void {
  const failed = (): void => session.tell('The browser does not let the page copy.')
  // Only where the page came over https, or from this machine, is there a clipboard.
  if (!('clipboard' in navigator)) return failed()
  navigator.clipboard.writeText(text).then(() => session.tell('Copied'), failed)
}
