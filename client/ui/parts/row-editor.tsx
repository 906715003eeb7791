import { type ClipboardEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { StepId } from '../../sdk/index.ts'
import { MAX_TEXT } from '../../../shared/schema/limits.ts'
import { useStore } from '../model/store.ts'
import { useWork } from './session-context.ts'

/** The field in which a step is typed. @param id null: one that is not in the plan yet */
export function RowEditor(props: RowEditorProps) {
  const { session } = useWork()
  const { editing } = useStore(session.view)
  // Another typing, though it be in the same step, begins with its own text.
  return <Field key={editing?.turn} {...props} />
}

interface RowEditorProps {
  readonly id: StepId | null
  readonly isOnBoard?: boolean
}

function Field({ id, isOnBoard = false }: RowEditorProps) {
  const { session, deeds } = useWork()
  const { editor, view } = session
  const [text, setText] = useState(editor.text)
  const field = useRef<HTMLTextAreaElement>(null)

  useEffect(() => {
    const node = field.current
    if (node === null) return
    node.focus({ preventScroll: true })
    const { editing } = view.get()
    const caret = editing?.kind === 'step' ? editing.caret : 'end'
    const at = caret === 'start' ? 0 : caret === 'end' ? node.value.length : caret
    node.setSelectionRange(at, at)
  }, [view])

  // Browsers that do not let a field grow with its text by themselves.
  useLayoutEffect(() => {
    const node = field.current
    if (node === null || CSS.supports('field-sizing', 'content')) return
    node.style.blockSize = 'auto'
    node.style.blockSize = `${node.scrollHeight}px`
  })

  const change = (value: string): void => {
    setText(value)
    editor.type(value)
  }

  const neighbour = (offset: -1 | 1): StepId | null => {
    const { rows } = session
    const at = rows.findIndex(({ key }) => key === (id ?? 'draft'))
    const row = rows[at + offset]
    return row?.kind === 'step' ? row.key : null
  }

  /** @returns whether the key meant something here */
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const { key, shiftKey, altKey } = event
    const isCommand = event.ctrlKey || event.metaKey
    const { selectionStart, selectionEnd, value } = event.currentTarget
    const isRest = selectionStart === selectionEnd
    const go = (offset: -1 | 1): boolean => {
      const next = neighbour(offset)
      if (next === null) return false
      editor.editStep(next, offset === 1 ? 'start' : 'end')
      return true
    }
    const join = (offset: -1 | 1): boolean => {
      const other = neighbour(offset)
      if (other !== null) editor.merge(other, offset === -1)
      return other !== null
    }
    if (key === 'Enter' && isCommand) {
      const kept = editor.commit()
      if (kept !== null) deeds.tick(kept)
      if (kept !== null) view.focus(kept)
    } else if (key === 'Enter' && !shiftKey) {
      // A card stands alone: what is below or beside it is elsewhere.
      if (isOnBoard && id !== null) editor.leave()
      else editor.enter(selectionStart, selectionEnd)
    } else if (key === 'Escape') editor.cancel()
    else if (isOnBoard) return false
    else if (key === 'Tab') {
      if (id === null) {
        if (shiftKey) editor.outdentDraft()
        else editor.indentDraft()
      } else {
        if (shiftKey) deeds.outdent(id)
        else deeds.indent(id)
        field.current?.focus({ preventScroll: true })
      }
    } else if (altKey && shiftKey && id !== null && key === 'ArrowUp') deeds.moveUp(id)
    else if (altKey && shiftKey && id !== null && key === 'ArrowDown') deeds.moveDown(id)
    else if (key === 'ArrowUp' && isRest && selectionStart === 0 && !isCommand && !altKey) return go(-1)
    else if (key === 'ArrowDown' && isRest && selectionEnd === value.length && !isCommand && !altKey) return go(1)
    else if (key === 'Backspace' && value === '') {
      const previous = neighbour(-1)
      if (id !== null && session.plan.subtree(id).length === 1) deeds.remove(id)
      if (previous === null) editor.leave()
      else editor.editStep(previous)
    } else if (!isRest || isCommand || altKey) return false
    else if (key === 'Backspace' && selectionStart === 0) return join(-1)
    else if (key === 'Delete' && selectionEnd === value.length && id !== null) return join(1)
    else return false
    return true
  }

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    if (editor.paste(event.clipboardData.getData('text/plain'))) event.preventDefault()
  }

  return (
    <textarea
      ref={field}
      className="field"
      dir="auto"
      rows={1}
      aria-label={id === null ? 'New step' : 'Text of the step'}
      maxLength={MAX_TEXT}
      value={text}
      placeholder={id === null ? 'What is to be done?' : ''}
      onChange={(event) => change(event.target.value)}
      onPaste={onPaste}
      onBlur={() => {
        if (document.hasFocus()) editor.commit()
      }}
      onKeyDown={(event) => {
        // A key that an input method uses to compose is not ours.
        // oxlint-disable-next-line typescript/no-deprecated -- Safari says it in no other way
        if (event.nativeEvent.isComposing || event.keyCode === 229) return
        if (onKey(event)) event.preventDefault()
      }}
    />
  )
}
