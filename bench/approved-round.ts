import { createAgent, tool } from '../src/index.ts'
import type { Store } from '../src/core/ports/store.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { BareStore } from './bare-store.ts'
import { callOf, modelThat } from './counting-agent.ts'
import { timeOf } from './stopwatch.ts'
import { assistantMessage, linesOf, promptMessage, resultMessage, resultText } from './texts.ts'

/** One round of calls that each need an approval. */
export interface ApprovedRound {
  readonly calls: number
  /** Letters that whoever decides is shown of each call. Default none. */
  readonly previewed?: number
  readonly path: string
}

/** Microseconds from the prompt to the end of the run, all its calls approved at once by an agent on another connection. */
export async function approvedRound({ calls, previewed = 0, path }: ApprovedRound): Promise<number> {
  const [first, second] = [0, 1].map(() => sqliteStore(path, { synchronous: 'normal' }))
  if (first === undefined || second === undefined) throw new Error('There are two stores.')
  const time = await timeOf('processor', async () => {
    const { runId } = await agentOn(first, calls, previewed).run('Go.')
    const run = await agentOn(second, calls, previewed).load(runId)
    const { suspended: waiting } = await run.result()
    await run.decide(waiting.map(({ callId }) => ({ target: callId, action: 'resume' as const })))
    const { status } = await run.settled()
    if (status !== 'done' || waiting.length !== calls) throw new Error(`Of ${waiting.length} calls it is ${status}.`)
  })
  for (const store of [first, second]) await store.close()
  return time
}

/** The same messages, each kept once: what is shown before the answers are, and the results when they come. */
export async function bareApprovedRound({ calls, previewed = 0, path }: ApprovedRound): Promise<number> {
  const first = new BareStore(path, 'normal')
  const second = new BareStore(path, 'normal')
  const indexes = Array.from({ length: calls }, (_, index) => index)
  const time = await timeOf('processor', () => {
    let seq = 0
    first.append('run', ++seq, promptMessage())
    first.append('run', ++seq, assistantMessage(0, calls))
    if (previewed > 0) for (const index of indexes) first.append('run', ++seq, { preview: linesOf(index, previewed) })
    second.read('run')
    for (const index of indexes) second.append('run', ++seq, resultMessage(0, index))
    second.append('run', ++seq, assistantMessage(1, 0))
  })
  for (const store of [first, second]) store.close()
  return time
}

function agentOn(store: Store, calls: number, previewed: number) {
  const model = modelThat((asked) =>
    asked === 1 ? { calls: Array.from({ length: calls }, (_, index) => callOf(0, index, 'sign')) } : {},
  )
  const sign = tool({
    name: 'sign',
    description: 'Signs.',
    input: { type: 'object', properties: { text: { type: 'string' } } },
    needs: 'approval',
    effects: 'none',
    ...(previewed === 0 ? {} : { preview: ({ text }: { text: string }) => linesOf(text.length, previewed) }),
    execute: () => resultText,
  })
  return createAgent({ name: 'bench', model, tools: [sign], store, limits: false })
}
