import { z } from 'zod'
import { createAgent, tool, type Usage } from '../../src/index.ts'
import { modelFromEnvironment } from '../../src/adapters/providers/from-environment.ts'
import type { Environment } from '../../src/adapters/providers/registry.ts'

/** The result of one small run on a real model. */
export interface LiveReport {
  /** Provider and model. */
  readonly model: string
  readonly status: string
  readonly reason: string
  /** The performed calls, each with its status. */
  readonly calls: readonly string[]
  readonly text: string
  readonly usage: Usage
  /** The first failed expectation; absent if all held. */
  readonly problem?: string
}

/** A word that no model can know, so that it reaches the answer only through the tool. */
const word = 'kestrel-4711'

/** Lets a model call one tool and repeat its result; any failure becomes the report's problem. */
export async function liveRun(spec: string, env: Environment): Promise<LiveReport> {
  const model = modelFromEnvironment(spec, env)
  const readWord = tool({
    name: 'read_word',
    description: 'Reads the word of a day.',
    input: z.object({ day: z.string().describe('Name of the day, in English') }),
    effects: 'none',
    execute: ({ day }) => `The word of ${day} is ${word}.`,
  })
  const agent = createAgent({
    name: 'live',
    model,
    instructions: 'Use the tool. Answer with the word alone.',
    tools: [readWord],
    limits: { maxTurns: 5, maxDurationMs: 120_000 },
  })
  const run = agent.start('What is the word of Monday?')
  const calls: string[] = []
  for await (const event of run) {
    if (event.type === 'toolExecution.ended') calls.push(`${event.toolName} ${event.status}`)
  }
  const { status, outcome, text, usage } = await run.result()
  const reason = outcome?.reason ?? 'none'
  const wrong = outcome?.error?.message ?? problemIn(reason, calls, text)
  const problem = wrong === undefined ? {} : { problem: wrong }
  return { model: `${model.provider}/${model.id}`, status, reason, calls, text, usage, ...problem }
}

function problemIn(reason: string, calls: readonly string[], text: string): string | undefined {
  if (reason !== 'natural_end') return `The run ended with ${reason}; expected natural_end.`
  if (!calls.includes('read_word succeeded')) return 'The model did not call the tool.'
  return text.includes(word) ? undefined : `The answer lacks ${word}, which the tool told.`
}
