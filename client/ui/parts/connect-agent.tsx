import { waysFor } from '../model/share.ts'
import { copyText } from './copy.ts'
import { Modal } from './dialog.tsx'
import { useWork } from './session-context.ts'

/** How an agent gets at this plan, to be copied. */
export function ConnectAgent({ onClose }: { readonly onClose: () => void }) {
  const { session } = useWork()
  const needsToken = session.identity.token !== null
  return (
    <Modal label="Connect an agent" className="connect" onClose={onClose}>
      <h2>Connect an agent</h2>
      <p className="hint">
        Give it a name of its own in the place of <code>my-agent</code>.
        {needsToken && ' It needs a token of its own in the place of YOUR_TOKEN: ask whoever runs the server.'}
      </p>
      {waysFor(session.thread, needsToken).map(({ name, text }) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <pre>
            <code>{text}</code>
          </pre>
          <button type="button" aria-label={`Copy ${name}`} onClick={() => copyText(session, text)}>
            Copy
          </button>
        </section>
      ))}
      <button type="button" className="primary" onClick={onClose}>
        Close
      </button>
    </Modal>
  )
}
