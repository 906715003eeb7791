import { type SubmitEvent, useState } from 'react'
import { type Identity, withName, withToken } from '../model/identity.ts'
import { readTheme, saveTheme, type Theme, THEMES } from '../model/theme.ts'
import { Modal } from './dialog.tsx'

/** For a server that wants to know who one is. */
export function TokenForm({ onIdentity }: { readonly onIdentity: (identity: Identity) => void }) {
  const [token, setToken] = useState('')
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (token.trim() !== '') onIdentity(withToken(token.trim()))
  }
  return (
    <form className="token-form" onSubmit={submit}>
      <label>
        Your token
        <input
          type="password"
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </label>
      <button type="submit" className="primary">
        Use it
      </button>
    </form>
  )
}

interface SettingsProps {
  readonly identity: Identity
  readonly onIdentity: (identity: Identity) => void
  readonly onClose: () => void
}

export function Settings({ identity, onIdentity, onClose }: SettingsProps) {
  const [name, setName] = useState(identity.name)
  const [theme, setTheme] = useState<Theme>(readTheme)
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    onClose()
    if (identity.token === null && name.trim() !== identity.name) onIdentity(withName(identity, name))
  }
  return (
    <Modal label="Settings" className="settings" onClose={onClose}>
      <h2>Settings</h2>
      <form onSubmit={submit}>
        <label>
          Your name
          <input
            value={name}
            maxLength={60}
            disabled={identity.token !== null}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        {identity.token !== null && <p className="hint">Your token says who you are.</p>}
        <fieldset>
          <legend>Colours</legend>
          <div className="segments">
            {THEMES.map((value) => (
              <label key={value} className="segment">
                <input
                  type="radio"
                  name="theme"
                  checked={theme === value}
                  onChange={() => {
                    setTheme(value)
                    saveTheme(value)
                  }}
                />
                {value}
              </label>
            ))}
          </div>
        </fieldset>
        <div className="buttons">
          {identity.token !== null && (
            <button type="button" onClick={() => onIdentity(withToken(null))}>
              Forget the token
            </button>
          )}
          <button type="submit" className="primary">
            Done
          </button>
        </div>
      </form>
    </Modal>
  )
}
