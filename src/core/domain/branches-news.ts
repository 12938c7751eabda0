import type { Usage } from './usage.ts'

/** The events of a group of branches, without the fields of every event. The event's `runId` is the group's. */
export type BranchesNews =
  /** A group of branches has begun. */
  | {
      readonly type: 'branches.started'
      readonly session?: string
      /** The runs of the branches, in their order. */
      readonly runIds: readonly string[]
    }
  /** A group of branches has ended. */
  | {
      readonly type: 'branches.ended'
      readonly session?: string
      /** The run of the winner; absent if no branch was selected. */
      readonly selectedRunId?: string
      /** The number of the winner, from 1; absent if no branch was selected. */
      readonly selectedIndex?: number
      /** The usage of the judge. */
      readonly evaluationUsage: Usage
    }
  /** The strategy selected no branch by itself, or its judge saw shortened texts. The group continues. */
  | { readonly type: 'evaluation.failed'; readonly message: string }
