import type { RecallAsked, Recalled } from '../../../../machines/run/run.input-types.ts'
import { isRecord, type Json } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { textOf } from '../../domain/message.ts'
import { rememberedFor } from '../../domain/remembered-for.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext, EffectHandler } from '../../ports/effect-handler.ts'
import type { MemoryQuery } from '../../ports/memory.ts'
import type { AgentParts } from '../agent-parts.ts'
import { ask } from '../ask.ts'

/** Letters of an input that a memory is asked with. */
const mostAsked = 10_000
/** Memories that are looked at, bytes of JSON that one may have, and bytes that a model is sent of all of them. */
const mostFound = 50
const mostBytes = 64_000
const mostSent = 16_000

/** Asks the memory about the input, once. A memory that cannot answer is told of, and the run goes on without. */
export function recall({ memory, hookTimeoutMs }: AgentParts): EffectHandler<RecallAsked, Recalled> {
  return {
    kind: 'local',
    perform: async ({ input }, context) => {
      const { run, view, signal, clock } = context
      const said = view.inputAt(input).filter(({ role }) => role === 'user')
      const about = said.map(textOf).join('\n').slice(0, mostAsked).toWellFormed()
      const done = () => ({ output: { at: clock.now() } })
      const user = rememberedFor(run)
      if (memory === undefined || said.length === 0) return done()
      if (user === undefined) {
        tellFailed(context, 'user', noUser)
        return done()
      }
      const query: MemoryQuery = { ...user, input: about }
      try {
        const bounds = { ...context, hookTimeoutMs }
        const found = await ask(
          'The memory failed',
          bounds,
          async ({ shown }) => checked(await memory.query(shown)),
          query,
        )
        return { ...done(), writes: [{ kind: 'value', name: 'recalled', value: found }] }
      } catch (cause) {
        if (signal.aborted) throw cause
        tellFailed(context, 'query', thrownText(cause))
        return done()
      }
    },
  }
}

const noUser =
  'The run has neither a userId nor a session, so that nothing is recalled or remembered for it. Start it with one.'

function tellFailed({ runId, clock, emit }: EffectContext, part: 'query' | 'user', message: string): void {
  emit({ type: 'memory.failed', runId, at: clock.now(), part, message })
}

/** As many memories as have room, the nearest first. */
function checked(given: unknown): readonly Json[] {
  if (!Array.isArray(given)) throw new TypeError(`it gave no list. ${wish}`)
  const kept: Json[] = []
  let left = mostSent
  for (const memory of given.slice(0, mostFound)) {
    const copied = copyJson(memory, { mostBytes })
    if (copied.problem !== undefined) throw new TypeError(`a memory ${copied.problem}. ${wish}`)
    const { value } = copied
    if (!isRecord(value) || typeof value['kind'] !== 'string' || value['data'] === undefined) {
      throw new TypeError(`what it gave is not readable. ${wish}`)
    }
    left -= JSON.stringify(value['data']).length
    if (left < 0) return kept
    kept.push(value)
  }
  return kept
}

const wish = 'Expected a list of { kind, data, key, at }.'
