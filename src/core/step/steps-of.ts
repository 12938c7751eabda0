import type { AnyStateMachine } from 'xstate'
import { chartOf } from './assembled-chart.ts'
import type { OutboxOf, Told, ToldOf } from './effect-logic.ts'
import { OfficialStep, OutboxBySystem } from './official-step.ts'
import { ChartStep } from './step.ts'
import type { Step, StepOptions } from './step-system.ts'

/** Binds the actors and actions of a run's charts. */
export type Assemble = (outboxOf: OutboxOf, toldOf?: ToldOf) => AnyStateMachine

/** The interpreter of charts: tables compiled from them, or XState's own actors (ADR 1). */
export type Interpreter = 'tables' | 'xstate'

/** Returns the steps of a run's charts. The machine is assembled once, on first use. */
export function stepsOf(assemble: Assemble, interpreter: Interpreter = 'tables'): (options: StepOptions) => Step {
  let make: ((options: StepOptions) => Step) | undefined
  return (options) => (make ??= stepMaker(assemble, interpreter))(options)
}

/** Steps charts that the tables do not support by XState as a whole. */
function stepMaker(assemble: Assemble, interpreter: Interpreter): (options: StepOptions) => Step {
  const chart = interpreter === 'tables' ? chartOf(assemble(noOutbox, toldIn)) : undefined
  if (chart !== undefined) return (options) => new ChartStep(chart, options)
  const outboxes = new OutboxBySystem()
  const machine = assemble(({ system }) => outboxes.of(system))
  return (options) => new OfficialStep(machine, outboxes, options)
}

/** The step passes the receiver of its actions in place of XState's actor system. */
const toldIn: ToldOf = ({ system }) => system as Told

const noOutbox: OutboxOf = () => {
  throw new Error('A chart stepped by tables has no live actors.')
}
