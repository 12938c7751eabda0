import { z } from 'zod'
import { createAgent, type Run } from '../../src/index.ts'
import { scripted, type ScriptedAnswer } from '../../src/adapters/providers/scripted.ts'
import type { ModelMessage } from '../../src/core/domain/message.ts'
import { PromptBuilder } from '../../src/core/prompt/prompt-builder.ts'
import { RunLog } from '../../src/core/runtime/run-log.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import type { ModelRequest } from '../../src/core/ports/model.ts'
import { tool } from '../../src/core/ports/define-tool.ts'

/** The fate of planted facts in a conversation that is compacted at each turn. */
export interface PlantedReport {
  readonly turns: number
  readonly compactions: number
  /** Rules that a request broke: what must be in each request byte by byte, and is not. */
  readonly broken: readonly string[]
  /** For each kind, how many facts were planted, and how many the last request has. */
  readonly kinds: Readonly<Record<string, { readonly planted: number; readonly kept: number }>>
}

/** The way to plant facts. */
export interface PlantedOptions {
  readonly turns: number
  /** Default 40. */
  readonly facts?: number
}

const kinds = ['instruction', 'rule', 'question', 'number', 'path', 'refusal', 'pending call'] as const

/** A fact of each kind in turn, as a text that nothing else holds. */
function plantedFacts(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? 'number'
    return { kind, text: `fact ${index} of kind ${kind}: ${(index + 1) * 7919}/${kind.replace(' ', '-')}` }
  })
}

/**
 * Plays a run of many turns, each with a long result and a wish for a smaller prompt. Facts of the first kinds are in the
 * instructions; questions and pending calls are calls that wait for a person; the others are said in answers. One of the
 * pending calls is approved half-way, after its turn was left out for long: its result must reach the model.
 */
export async function playPlanted({ turns, facts = 40 }: PlantedOptions): Promise<PlantedReport> {
  const planted = plantedFacts(facts)
  const ofKind = (...wanted: readonly string[]) => planted.filter(({ kind }) => wanted.includes(kind))
  const instructions = ofKind('instruction', 'rule')
    .map(({ text }) => text)
    .join('\n')
  const waiting = ofKind('question', 'pending call')
  const said = ofKind('number', 'path', 'refusal')
  const broken: string[] = []
  const seen = new Map<string, string>()
  let last: ModelRequest | undefined
  const started: { run?: Run } = {}
  const half = Math.floor(turns / 2)

  const approved = Math.min(4, waiting.length)
  const isDecided = (text: string, turn: number) => turn > half && text === waiting[approved - 1]?.text
  const judge = (request: ModelRequest, turn: number) => {
    if (request.system !== instructions) broken.push(`turn ${turn}: the instructions are not those of the agent`)
    for (const { text } of waiting.slice(0, turn - 1)) {
      if (isDecided(text, turn)) continue
      const sent = turnOf(request.messages, text)
      const before = seen.get(text)
      if (sent === undefined) broken.push(`turn ${turn}: the open call "${text}" is missing`)
      else if (before !== undefined && before !== sent) {
        broken.push(`turn ${turn}: the open call "${text}" has changed`)
      }
      if (sent !== undefined) seen.set(text, sent)
    }
    const isTold = JSON.stringify(request.messages).includes('"the approved result"')
    if (approved > 0 && turn === half + 1 && !isTold) broken.push(`turn ${turn}: the late result of a call is missing`)
  }

  const answerTo = async (request: ModelRequest): Promise<ScriptedAnswer> => {
    const turn = (request.answers ?? 0) + 1
    last = request
    judge(request, turn)
    if (turn > turns) return { text: 'Done.' }
    const asked = waiting[turn - 1]
    const ask = asked === undefined ? [] : [{ id: `ask-${turn}`, name: 'ask', arguments: { question: asked.text } }]
    return {
      text: said[turn - 1]?.text ?? `Step ${turn}.`,
      toolCalls: [{ id: `read-${turn}`, name: 'read', arguments: { turn } }, ...ask],
    }
  }
  const read = tool({
    name: 'read',
    description: 'Reads a page',
    input: z.object({ turn: z.number() }),
    effects: 'none',
    execute: async (input) => {
      await started.run?.compact()
      if (approved > 0 && input.turn === half) await started.run?.approve(`ask-${approved}`)
      return Array.from({ length: 30 }, (_, line) => `line ${line} of page ${input.turn}`).join('\n')
    },
  })
  const ask = tool({
    name: 'ask',
    description: 'Asks a person',
    input: z.object({ question: z.string() }),
    needs: 'approval',
    effects: 'none',
    execute: () => 'the approved result',
  })
  const store = memoryStore()
  const agent = createAgent({
    name: 'planted',
    model: scripted([...Array<typeof answerTo>(turns + 1).fill(answerTo)]),
    instructions,
    tools: [read, ask],
    store,
    limits: { maxTurns: turns + 5 },
  })
  const run = agent.start('Read all pages.')
  started.run = run
  let compactions = 0
  const listed = new Set<number>()
  for await (const event of run) {
    if (event.type !== 'context.compacted') continue
    compactions++
    for (const [from, to] of [...(event.dropped ?? []), ...(event.shortened ?? [])])
      for (let place = from; place < to; place++) listed.add(place)
  }
  const shown = new Set(last?.messages.map(contentOf))
  const { log } = await store.read(run.id)
  const readable = new PromptBuilder().build(new RunLog(log, log.length + 1).messages())
  for (const [place, message] of readable.slice(0, -1).entries()) {
    const isSent = shown.has(contentOf(message))
    if (!isSent && !listed.has(place)) broken.push(`message ${place} is not sent, and no event lists it`)
  }
  await agent.close()
  const text = JSON.stringify([last?.system, last?.messages])
  const counts = kinds.map((kind) => {
    const all = ofKind(kind)
    return [kind, { planted: all.length, kept: all.filter((fact) => text.includes(fact.text)).length }] as const
  })
  return { turns, compactions, broken, kinds: Object.fromEntries(counts) }
}

/** The call that holds a text and its result, as they are sent. */
function turnOf(messages: readonly ModelMessage[], text: string): string | undefined {
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    const call = message.content.find((block) => block.type === 'toolCall' && JSON.stringify(block).includes(text))
    if (call?.type !== 'toolCall') continue
    const result = messages.find((each) => each.role === 'toolResult' && each.callId === call.callId)
    return JSON.stringify([call, result])
  }
  return undefined
}

/** The part of a message by which it is known again. */
function contentOf(message: ModelMessage): string {
  return JSON.stringify([message.role, 'callId' in message ? message.callId : null, message.content])
}
