import { toBase64UrlEncoded } from 'lib0/buffer'
import { getRandomValues } from 'lib0/webcrypto'

/** The identity of a step or a group: 8 to 40 characters of `[A-Za-z0-9_-]`, never used twice. */
export type StepId = string & { readonly __id: 'step' }
export type GroupId = string & { readonly __id: 'group' }
/** The name of a thread, which is also its address. */
export type ThreadId = string & { readonly __id: 'thread' }

const INTERNAL_ID = /^[A-Za-z0-9_-]{8,40}$/
const THREAD_ID = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/

export const isStepId = (value: unknown): value is StepId => typeof value === 'string' && INTERNAL_ID.test(value)
export const isGroupId = (value: unknown): value is GroupId => typeof value === 'string' && INTERNAL_ID.test(value)
export const isThreadId = (value: unknown): value is ThreadId => typeof value === 'string' && THREAD_ID.test(value)

/** 96 random bits as 16 characters. */
const randomId = (): string => toBase64UrlEncoded(getRandomValues(new Uint8Array(12)))
export const newStepId = (): StepId => randomId() as StepId
export const newGroupId = (): GroupId => randomId() as GroupId
