import type { Actor } from '../schema/actor.ts'

/** Callers without a name are one actor; '' stands for nobody in a step, and no caller's id is a blank. */
const NAMELESS = ' '

/** How `startedBy` of a step names the actor that started it. */
export const starterOf = ({ id }: Pick<Actor, 'id'>): string => (id === '' ? NAMELESS : id)
