import type { GroupId, PlanOperation, Status, StepId } from '../../sdk/index.ts'
import { newGroupId } from '../../sdk/index.ts'
import { planMarkdown } from '../../../shared/plan/markdown.ts'
import { dependentsOf } from '../../../shared/plan/waiting.ts'
import { type Drop, indent, isMove, moveDown, moveUp, outdent } from './moves.ts'
import { ownerOf } from './owner.ts'
import { subtreeMarkdown } from './paste.ts'
import type { Session } from './session.ts'
import { isFinished, STATUS_NAMES } from './statuses.ts'

/** Says in the clipboard which step of which plan was cut. */
const CUT = 'application/x-planroom-cut'

/** What can be done to a step; each is one change that can be undone. */
export function deedsFor(session: Session) {
  const { view, announcer } = session
  const nameOf = (id: StepId): string => session.plan.step(id)?.text ?? ''

  const move = (id: StepId, operation: PlanOperation | null, word: string, why: string): void => {
    if (operation === null) return announcer.say(why)
    if (operation.type === 'moveSteps' && operation.parent !== null) view.collapse(operation.parent, false)
    if (!session.write(operation)) return
    view.focus(id)
    announcer.say(`${word}, level ${(session.plan.step(id)?.depth ?? 0) + 1}`)
  }

  /** On the board a step goes to another column, and the focus with it. */
  const follow = (id: StepId): void => {
    const { layout, pane, focused } = view.get()
    if ((layout === 'board' || pane === 'board') && focused === id) view.focus(id)
  }

  /** @returns whether what is pasted was cut here, and so was moved */
  function pasteCut(id: StepId, behind: StepId | null): boolean {
    if (view.get().cut !== id || session.plan.step(id) === undefined) return false
    view.patch({ cut: null })
    const to = behind === null ? null : session.plan.step(behind)
    if (to !== null && session.plan.subtree(id).some((step) => step.id === to?.id)) return true
    const place = to === null || to === undefined ? { parent: null } : { parent: to.parent, after: to.id }
    move(id, { type: 'moveSteps', steps: [id], ...place }, 'Moved', '')
    return true
  }

  return {
    tick(id: StepId): void {
      const step = session.plan.step(id)
      if (step === undefined) return
      const status = isFinished(step.status) ? 'pending' : 'completed'
      if (!session.write({ type: 'setStep', id, fields: { status } })) return
      announcer.say(status === 'completed' ? 'Done' : 'To do')
      follow(id)
    },
    setStatus(id: StepId, status: Status): void {
      const step = session.plan.step(id)
      // Whoever sets a step in progress that nobody has, has it.
      const isOwn = status === 'in_progress' && step !== undefined && ownerOf(step) === null
      const fields = isOwn ? { status, startedBy: session.identity.id } : { status }
      if (!session.write({ type: 'setStep', id, fields })) return
      announcer.say(STATUS_NAMES[status])
      follow(id)
    },
    /** Gives steps to somebody, which sets them in progress; or frees them. @param owner an actor's id; null: nobody */
    setOwner(ids: readonly StepId[], owner: string | null): void {
      const operations: PlanOperation[] = []
      for (const id of ids) {
        const step = session.plan.step(id)
        if (step === undefined) continue
        if (step.claim !== null && step.claim.holder !== owner)
          return session.tell(
            `“${step.text}” is claimed by ${step.claim.holder} until ${new Date(step.claim.until).toLocaleString()}. Nothing was changed.`,
          )
        const status = owner !== null ? (step.status === 'blocked' ? 'blocked' : 'in_progress') : step.status
        const freed = owner === null && status === 'in_progress' ? 'pending' : status
        operations.push({ type: 'setStep', id, fields: { startedBy: owner, status: freed } })
      }
      if (!session.write(...operations)) return
      announcer.say(owner === null ? 'With nobody' : `With ${session.names.get().get(owner) ?? owner}`)
      for (const id of ids) follow(id)
    },
    indent: (id: StepId): void => move(id, indent(session.plan, id), 'Indented', 'There is no step above to go under'),
    outdent: (id: StepId): void => move(id, outdent(session.plan, id), 'Outdented', 'It is at the top level'),
    moveUp: (id: StepId): void => move(id, moveUp(session.plan, id), 'Moved up', 'It is the first here'),
    moveDown: (id: StepId): void => move(id, moveDown(session.plan, id), 'Moved down', 'It is the last here'),
    drop(id: StepId, drop: Drop): void {
      if (!isMove(session.plan, id, drop)) return
      const { parent, after } = drop
      move(id, { type: 'moveSteps', steps: [id], parent, ...(after === undefined ? {} : { after }) }, 'Moved', '')
    },
    moveUnder(id: StepId, parent: StepId | null): void {
      move(
        id,
        { type: 'moveSteps', steps: [id], parent },
        parent === null ? 'Moved to the top level' : `Moved under ${nameOf(parent)}`,
        '',
      )
    },
    remove(id: StepId): void {
      const { length } = session.plan.subtree(id)
      if (length === 0) return
      if (!session.write({ type: 'removeSteps', steps: [id], subSteps: true })) return
      const what = length === 1 ? 'Removed a step' : `Removed ${length} steps`
      session.tellDone(what)
    },
    setGroup(id: StepId, group: GroupId | null): void {
      session.write({ type: 'setStep', id, fields: { group } })
    },
    newGroup(id: StepId, title: string): void {
      const group = newGroupId()
      session.write({ type: 'addGroup', id: group, title }, { type: 'setStep', id, fields: { group } })
    },
    toggleDependency(id: StepId, on: StepId): void {
      const step = session.plan.step(id)
      if (step === undefined) return
      const has = step.dependencies.some((one) => 'step' in one && one.step === on)
      if (!has && (on === id || dependentsOf(id, session.plan).has(on)))
        return session.tell(
          `“${nameOf(on)}” waits for “${nameOf(id)}” already, itself or through others: neither could ever begin. Nothing was changed.`,
        )
      const others = step.dependencies.filter((one) => !('step' in one && one.step === on))
      const targets = others.map((one) => ('step' in one ? { step: one.step } : { name: one.name }))
      session.write({ type: 'setStep', id, fields: { dependencies: has ? targets : [...targets, { step: on }] } })
    },
    /** Marks a step to be moved by the next paste. */
    cut(clipboard: DataTransfer, id: StepId): void {
      clipboard.setData(CUT, JSON.stringify([session.thread, id]))
      view.patch({ cut: id })
      session.tell('Cut. Paste moves it there, with all below; Esc leaves it where it is.')
    },
    /** Moves what was cut, else adds the steps that the text has. @param behind null: at the end of the plan */
    paste(clipboard: DataTransfer, behind: StepId | null): void {
      const [thread, id] = readCut(clipboard.getData(CUT))
      if (thread === session.thread && pasteCut(id as StepId, behind)) return
      const step = behind === null ? undefined : session.plan.step(behind)
      const place = step === undefined ? null : { parent: step.parent, after: step.id }
      const isPasted = session.editor.pasteSteps(clipboard.getData('text/plain'), place)
      if (isPasted && thread !== undefined && thread !== session.thread) session.takeFrom(thread, id as StepId)
    },
    /** The step and all below it as a markdown list; without one the whole plan. */
    markdown(id: StepId | null): string {
      return id === null ? planMarkdown(session.plan) : subtreeMarkdown(session.plan, id)
    },
  }
}

export type Deeds = ReturnType<typeof deedsFor>

function readCut(text: string): string[] {
  try {
    const pair = JSON.parse(text) as unknown
    return Array.isArray(pair) ? pair.map(String) : []
  } catch {
    return []
  }
}
