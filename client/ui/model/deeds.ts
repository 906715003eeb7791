import type { StepFields } from '../../../shared/schema/operation.ts'
import type { GroupId, PlanOperation, Status, Step, StepId } from '../../sdk/index.ts'
import { newGroupId } from '../../sdk/index.ts'
import { planMarkdown } from '../../../shared/plan/markdown.ts'
import { dependentsOf } from '../../../shared/plan/waiting.ts'
import { type Drop, indent, isMove, moveDown, moveUp, outdent } from './moves.ts'
import { ownerOf } from './owner.ts'
import { subtreeMarkdown } from './paste.ts'
import type { Session } from './session.ts'
import { isFinished, STATUS_NAMES } from './statuses.ts'
import { targetsOf } from './waits.ts'

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
    session.unfold(id)
    view.focus(id)
    announcer.say(`${word}, level ${(session.plan.step(id)?.depth ?? 0) + 1}`)
  }

  /** On the board a step goes to another column, and the focus with it. */
  const follow = (id: StepId): void => {
    const { layout, pane, focused } = view.get()
    if ((layout === 'board' || pane === 'board') && focused === id) view.focus(id)
  }

  /** One change of fields for all that are chosen. @returns whether it was done */
  const setAll = (ids: readonly StepId[], fieldsOf: (step: Step) => StepFields): boolean =>
    session.write(
      ...ids.flatMap((id): PlanOperation[] => {
        const step = session.plan.step(id)
        return step === undefined ? [] : [{ type: 'setStep', id, fields: fieldsOf(step) }]
      }),
    )
  const many = (word: string, { length }: readonly StepId[]): string => (length > 1 ? `${word}, ${length} steps` : word)

  /** @returns whether what is pasted was cut here, and so was moved */
  function pasteCut(cut: string, behind: StepId | null): boolean {
    const ids = view.get().cut.filter((one) => session.plan.step(one) !== undefined)
    const [id] = ids
    if (view.get().cut.join(' ') !== cut || id === undefined) return false
    view.patch({ cut: [] })
    const to = behind === null ? null : session.plan.step(behind)
    if (to !== null && to !== undefined && ids.some((one) => isWithin(to.id, one))) return true
    const place = to === null || to === undefined ? { parent: null } : { parent: to.parent, after: to.id }
    move(id, { type: 'moveSteps', steps: ids, ...place }, 'Moved', '')
    return true
  }
  const isWithin = (id: StepId, root: StepId): boolean => session.plan.subtree(root).some((step) => step.id === id)
  const apart = (id: StepId, why: string): string =>
    session.roots(id).length > 1 ? 'They do not stand beside each other, or there is no place for them' : why

  return {
    tick(id: StepId): void {
      const step = session.plan.step(id)
      if (step === undefined) return
      const status = isFinished(step.status) ? 'pending' : 'completed'
      const ids = session.targets(id)
      if (!setAll(ids, () => ({ status }))) return
      announcer.say(many(status === 'completed' ? 'Done' : 'To do', ids))
      follow(id)
    },
    setStatus(id: StepId, status: Status): void {
      const ids = session.targets(id)
      // Whoever sets a step in progress that nobody has, has it.
      const own = { status, startedBy: session.identity.id }
      if (!setAll(ids, (step) => (status === 'in_progress' && ownerOf(step) === null ? own : { status }))) return
      announcer.say(many(STATUS_NAMES[status], ids))
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
    indent: (id: StepId): void =>
      move(id, indent(session.plan, session.roots(id)), 'Indented', apart(id, 'There is no step above to go under')),
    outdent: (id: StepId): void =>
      move(id, outdent(session.plan, session.roots(id)), 'Outdented', apart(id, 'It is at the top level')),
    moveUp: (id: StepId): void =>
      move(id, moveUp(session.plan, session.roots(id)), 'Moved up', apart(id, 'It is the first here')),
    moveDown: (id: StepId): void =>
      move(id, moveDown(session.plan, session.roots(id)), 'Moved down', apart(id, 'It is the last here')),
    drop(id: StepId, drop: Drop): void {
      const steps = session.roots(id)
      const { parent, after } = drop
      if (steps.length === 1 && !isMove(session.plan, id, drop)) return
      const isInside = (to: StepId | null | undefined): boolean =>
        to !== null && to !== undefined && steps.some((one) => isWithin(to, one))
      if (isInside(parent) || (steps.length > 1 && isInside(after))) return
      move(id, { type: 'moveSteps', steps, parent, ...(after === undefined ? {} : { after }) }, 'Moved', '')
    },
    moveUnder(id: StepId, parent: StepId | null): void {
      move(
        id,
        { type: 'moveSteps', steps: session.roots(id), parent },
        parent === null ? 'Moved to the top level' : `Moved under ${nameOf(parent)}`,
        '',
      )
    },
    remove(id: StepId): void {
      const steps = session.roots(id)
      const length = steps.reduce((sum, one) => sum + session.plan.subtree(one).length, 0)
      if (length === 0) return
      if (!session.write({ type: 'removeSteps', steps, subSteps: true })) return
      view.chooseNone()
      const what = length === 1 ? 'Removed a step' : `Removed ${length} steps`
      session.tellDone(what)
    },
    setGroup(id: StepId, group: GroupId | null): void {
      setAll(session.targets(id), () => ({ group }))
    },
    newGroup(id: StepId, title: string): void {
      const group = newGroupId()
      const steps = session.targets(id).map((one): PlanOperation => ({ type: 'setStep', id: one, fields: { group } }))
      session.write({ type: 'addGroup', id: group, title }, ...steps)
    },
    toggleDependency(id: StepId, on: StepId): void {
      const step = session.plan.step(id)
      if (step === undefined) return
      const has = step.dependencies.some((one) => 'step' in one && one.step === on)
      if (!has && (on === id || dependentsOf(id, session.plan).has(on)))
        return session.tell(
          `“${nameOf(on)}” waits for “${nameOf(id)}” already, itself or through others: neither could ever begin. Nothing was changed.`,
        )
      const targets = targetsOf(step.dependencies.filter((one) => !('step' in one && one.step === on)))
      session.write({ type: 'setStep', id, fields: { dependencies: has ? targets : [...targets, { step: on }] } })
    },
    /** Marks a step to be moved by the next paste. */
    cut(clipboard: DataTransfer, id: StepId): void {
      const cut = session.roots(id)
      clipboard.setData(CUT, JSON.stringify([session.thread, cut.join(' ')]))
      view.patch({ cut })
      view.chooseNone()
      session.tell('Cut. Paste moves it there, with all below; Esc leaves it where it is.')
    },
    /** Moves what was cut, else adds the steps that the text has. @param behind null: at the end of the plan */
    paste(clipboard: DataTransfer, behind: StepId | null): void {
      const [thread, cut = ''] = readCut(clipboard.getData(CUT))
      if (thread === session.thread && pasteCut(cut, behind)) return
      const step = behind === null ? undefined : session.plan.step(behind)
      const place = step === undefined ? null : { parent: step.parent, after: step.id }
      const isPasted = session.editor.pasteSteps(clipboard.getData('text/plain'), place)
      if (isPasted && thread !== undefined && thread !== session.thread) session.takeFrom(thread, cut)
    },
    /** The step and all below it as a markdown list; without one the whole plan. */
    markdown(id: StepId | null): string {
      if (id === null) return planMarkdown(session.plan)
      return session
        .roots(id)
        .map((one) => subtreeMarkdown(session.plan, one))
        .join('\n')
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
