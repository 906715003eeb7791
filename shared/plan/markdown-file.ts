import type { Status } from '../schema/plan.ts'
import type { MarkdownDependency } from './markdown-dependencies.ts'

export interface MarkdownStep {
  /** 1-based, in the file. */
  readonly line: number
  readonly text: string
  readonly depth: number
  readonly status: Status
  readonly details: string
  readonly required: boolean
  /** The title of its own group, or null. */
  readonly group: string | null
  readonly owner: string | null
  readonly alias: string | null
  readonly dependencies: readonly MarkdownDependency[]
}

/** Lines that were not taken in, and why. */
export interface LeftOut {
  readonly line: number
  readonly end: number
  readonly why: string
  /** The first of them. */
  readonly text: string
}

export interface MarkdownPlan {
  readonly title: string | null
  readonly groups: readonly { readonly title: string; readonly testsVerified: boolean }[]
  readonly steps: readonly MarkdownStep[]
  readonly leftOut: readonly LeftOut[]
  /** What was read otherwise than it was written. */
  readonly notes: readonly { readonly line: number; readonly text: string }[]
  /** The items of lists that the file has, and how many of them were left out. */
  readonly items: { readonly all: number; readonly leftOut: number }
}
