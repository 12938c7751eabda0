import { type Agent, createAgent, tool, userMessage } from '../src/index.ts'
import type { Store } from '../src/core/ports/store.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import type { BareResume } from './bare-resume.ts'
import { callOf, type CountedAnswer, echoTool, modelThat } from './counting-agent.ts'
import { startWatch, timeKindOf } from './stopwatch.ts'
import { resultText, userText } from './texts.ts'

/** A run that waits for an approval and is driven on elsewhere. */
export interface AgentResume extends BareResume {
  /** Whether its messages were given with the prompt, or came of turns with one call each. */
  readonly history: 'given' | 'grown'
}

/** A resumption on stores that are open already. */
export interface ResumeBetween extends Omit<AgentResume, 'path'> {
  /** True counts from the prompt on, which is then a part of what is measured. Default: from the answer that makes the call. */
  readonly isWhole?: boolean
}

/** Microseconds from the answer that makes the call to the end of the run, driven on by a fresh agent and handle. */
export async function agentResume({ path, synchronous, ...resume }: AgentResume): Promise<number> {
  const first = sqliteStore(path, { synchronous })
  const opened: Store[] = [first]
  const open = () => {
    const second = sqliteStore(path, { synchronous })
    opened.push(second)
    return second
  }
  const time = await resumeBetween(first, open, { ...resume, synchronous })
  for (const store of opened) await store.close()
  return time
}

/** The same, on stores of two connections: the second is asked for once the run waits. */
export async function resumeBetween(
  first: Store,
  second: () => Store,
  { messages, history, synchronous, isWhole = false }: ResumeBetween,
): Promise<number> {
  let watch = startWatch(timeKindOf(synchronous))
  const answerFirst = (asked: number) => {
    if (asked === messages - 1 && !isWhole) watch = startWatch(timeKindOf(synchronous))
    return answerAt(asked, messages)
  }
  const waiting = await signingAgent(first, answerFirst).run(promptOf(history, messages))
  if (waiting.status !== 'waiting') throw new Error(`The run is ${waiting.status}; expected it to wait.`)

  const run = await signingAgent(second(), (asked) => answerAt(asked, messages)).load(waiting.runId)
  await run.approve()
  const { status, outcome } = await run.settled()
  const time = watch()
  if (status !== 'done') throw new Error(`The run is ${status} with ${JSON.stringify(outcome)}; expected it done.`)
  return time
}

/** What the user says in a run whose transcript holds so many messages when it waits. */
export function promptOf(history: AgentResume['history'], messages: number) {
  if (history === 'grown') return 'Go.'
  return Array.from({ length: messages - 1 }, () => userMessage(userText, 0))
}

/** The answer to so many messages: a call that needs an approval when the wanted number is reached. */
export function answerAt(asked: number, messages: number): CountedAnswer {
  if (asked > messages) return {}
  return { calls: [callOf(asked, 0, asked === messages - 1 ? 'sign' : 'echo')] }
}

/** An agent with a tool that needs an approval and one that does not. */
export function signingAgent(store: Store, answer: (asked: number) => CountedAnswer): Agent {
  const sign = tool({
    name: 'sign',
    description: 'Signs.',
    input: { type: 'object' },
    needs: 'approval',
    effects: 'none',
    execute: () => resultText,
  })
  return createAgent({
    name: 'bench',
    model: modelThat(answer),
    tools: [sign, echoTool(resultText)],
    store,
    limits: false,
  })
}
