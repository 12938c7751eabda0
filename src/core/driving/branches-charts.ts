import type { MarkedEvent } from '../domain/marked-event.ts'
import { noUsage } from '../domain/usage.ts'
import { effectLogic, type OutboxOf, type ToldOf } from '../step/effect-logic.ts'
import { initialContext } from '../../../machines/branches/branches.calls.ts'
import { branchesMachine } from '../../../machines/branches/branches.machine.ts'
import { branchesAnnouncements, branchesRecords, outcomeOf } from '../../../machines/branches/branches.ending.ts'
import type {
  BranchesAnnouncement,
  BranchesArgs,
  BranchesContext,
  BranchesInput,
} from '../../../machines/branches/branches.types.ts'
import { toolCallMachine } from '../../../machines/tool-call/tool-call.machine.ts'
import { type Interpreter, stepsOf } from '../step/steps-of.ts'
import type { Announced } from '../runtime/drive-options.ts'
import { beforeTurns } from '../runtime/log-marks.ts'
import type { Charts } from '../runtime/stepper.ts'
import { announcing, assembleCall, nestedDefaults, recording, undeliveredIn, waitingEvent } from './run-charts.ts'

/** The machines of a group; a proof replaces them. */
export interface BranchesMachines {
  readonly branches: typeof branchesMachine
  readonly toolCall: typeof toolCallMachine
}

const ourMachines: BranchesMachines = { branches: branchesMachine, toolCall: toolCallMachine }

/** Returns the charts of a group with all outside actors and actions bound. */
export function branchesChartsOf(machines: BranchesMachines = ourMachines, interpreter?: Interpreter): Charts {
  return {
    step: stepsOf((outboxOf, toldOf) => assembleBranches(outboxOf, machines, toldOf), interpreter),
    rowSource: 'toolCall',
    openCalls: (context) => Object.keys((context as BranchesContext).branches),
    queuedRows: (context) =>
      (context as BranchesContext).queue.flatMap((head) => ('inboxId' in head ? head.inboxId : [])),
    statusOf: (state) => (state === 'waiting' || state === 'done' ? state : 'running'),
    outcome: (context) => outcomeOf(context as BranchesContext),
    turnAt: () => beforeTurns,
    defaults: (input) => ({ ...nestedDefaults, root: initialContext({ input: input as BranchesInput }) }),
  }
}

/** The charts of every group. */
export const branchesCharts: Charts = branchesChartsOf()

function assembleBranches(
  outboxOf: OutboxOf,
  { branches, toolCall }: BranchesMachines,
  toldOf: ToldOf = outboxOf,
): typeof branchesMachine {
  return branches.provide({
    actors: {
      toolCall: assembleCall(outboxOf, toolCall, toldOf),
      evaluate: effectLogic('evaluate', outboxOf) as never,
    },
    actions: {
      ...recording<BranchesArgs, typeof branchesRecords>(branchesRecords, toldOf),
      ...announcing<BranchesArgs, typeof branchesAnnouncements>(branchesAnnouncements, toldOf),
      checkpoint: (acting, { name }) => toldOf(acting).checkpoint(name),
    },
  })
}

/** Converts an announcement of a group's chart to an event. */
export function toBranchesEvent({ announcement, origin, context, log }: Announced): MarkedEvent {
  const { type } = announcement as BranchesAnnouncement
  const { branches, selection, ending } = context as BranchesContext
  const session = origin.session === undefined ? {} : { session: origin.session }
  const usage = selection?.usage ?? noUsage
  switch (type) {
    case 'run.started': {
      const { subject: _, ...rest } = origin
      return { type, ...rest }
    }
    case 'run.resumed':
      return { type }
    case 'run.waiting':
      return waitingEvent(log)
    case 'branches.started':
      return { type, ...session, runIds: Object.values(branches).map(({ runId }) => runId) }
    case 'branches.ended': {
      const selected = selection === null ? {} : { selectedRunId: selection.runId, selectedIndex: selection.index }
      return { type, ...session, ...selected, evaluationUsage: usage }
    }
    case 'run.ended': {
      const outcome = ending ?? { reason: 'natural_end' }
      return { type, outcome, turns: 0, toolCalls: 0, usage, cost: selection?.cost ?? 0, ...undeliveredIn(log) }
    }
  }
}
