import { createAgent } from '../../src/core/agent/create-agent.ts'
import type { Agent } from '../../src/core/agent/agent.ts'
import type { ExecutorOption } from '../../src/core/driving/run-options.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Tool, ToolContext } from '../../src/core/ports/tool.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { resultOf } from '../support/journal.ts'
import type { FamilyParts } from '../support/paying-family.ts'
import type { FencedJournal } from './fenced-journal.ts'
import { payment } from './soak-service.ts'

const executors: readonly ExecutorOption[] = ['parallel', 'sequential', { batch: 2 }]

/** Milliseconds a lease lasts: less than a process is stopped for. */
export const leaseMs = 400

/** The parts that the agents of one process use. */
export interface SoakParts {
  readonly store: Store
  readonly journal: FencedJournal
  readonly random: () => number
}

/** One agent an executor; any of them can drive on a run that another began. */
export function soakAgents({ store, journal, random }: SoakParts): readonly Agent[] {
  const tools = [
    soakTool('append', { effects: 'once' }, journal, random),
    soakTool('ask', { effects: 'once', needs: 'approval' }, journal, random),
    soakTool('put', { effects: 'idempotent' }, journal, random),
  ]
  const call = (id: string, name: string) => ({ id, name, arguments: {} })
  const model = scripted([
    { toolCalls: [call('a', 'append'), call('b', 'put'), call('c', 'append')] },
    { toolCalls: [call('d', 'ask'), call('e', 'put')] },
    { toolCalls: [call('f', 'ask')] },
    { toolCalls: [call('h', 'pay'), call('i', 'put'), call('j', 'pay')] },
    { toolCalls: [call('g', 'append')] },
    'Done.',
    'Done again.',
    'Done at last.',
  ])
  const services = [payment]
  return executors.map((executor) => createAgent({ name: 'soaked', model, tools, services, executor, store, leaseMs }))
}

/** The parts of the families that are soaked. */
export function soakFamily({ store, journal, random }: SoakParts): FamilyParts {
  const pay = soakTool('pay', { effects: 'once', needs: 'approval' }, journal, random)
  return { store, leaseMs, pay, look: soakTool('look', { effects: 'idempotent' }, journal, random) }
}

/**
 * Acts at a random moment of its time, as tools do. A person who has an interrupted call run again asks the tool to look
 * first: who ran it before may have acted between that person's look and now.
 */
function soakTool(
  name: string,
  more: { readonly effects: 'once' | 'idempotent'; readonly needs?: 'approval' },
  journal: FencedJournal,
  random: () => number,
): Tool {
  return tool({
    name,
    description: `Appends a line, as ${name}.`,
    input: { type: 'object' },
    ...more,
    execute: async (_, context: ToolContext) => {
      journal.begin(context)
      if (context.suspension?.reason === 'interrupted' && journal.has(context)) return resultOf(context)
      await pause(random() * 6)
      journal.act(context)
      await pause(random() * 6)
      return resultOf(context)
    },
  })
}

/** Waits that many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
