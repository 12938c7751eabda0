import type { RecallAsked } from '../../../../machines/run/run.input-types.ts'
import type { AskVerdict } from '../../../../machines/run/run.asks.ts'
import { isSaidByUser } from '../../domain/background.ts'
import { isRecord, type Json } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { textOf } from '../../domain/message.ts'
import { rememberedFor } from '../../domain/recalled.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { MemoryQuery } from '../../ports/memory.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type Asking, askPlugin, listening } from '../ask-code.ts'

/** The maximum characters of a memory's query. */
const mostAsked = 10_000
/** The limits of memories: their number, the bytes of one as JSON, and the bytes of all in a prompt. */
const mostFound = 50
const mostBytes = 64_000
const mostSent = 16_000

/** Asks the plugins at `recall` about the input, once. A plugin's failure is reported, and the run continues. */
export async function recall(
  { plugins, pluginTimeoutMs }: AgentParts,
  { input }: RecallAsked,
  context: EffectContext,
): Promise<EffectResult<AskVerdict>> {
  const { run, view, signal, clock } = context
  const said = view.inputAt(input).filter(isSaidByUser)
  const about = said.map(textOf).join('\n').slice(0, mostAsked).toWellFormed()
  const done = () => ({ output: { at: clock.now() } })
  const user = rememberedFor(run)
  if (said.length === 0) return done()
  if (user === undefined) {
    tellFailed(context, 'user', noUser)
    return done()
  }
  const query: MemoryQuery = { ...user, input: about }
  const found: Json[] = []
  for (const plugin of listening(plugins, 'recall')) {
    const look = async ({ shown }: Asking<MemoryQuery>) => checked(await plugin.recall?.(shown))
    try {
      found.push(...(await askPlugin(plugin, 'recall', { ...context, pluginTimeoutMs }, look, query)))
    } catch (cause) {
      if (signal.aborted) throw cause
      tellFailed(context, 'query', thrownText(cause))
    }
  }
  const value = fitting(found)
  return value.length === 0 ? done() : { ...done(), writes: [{ kind: 'value', name: 'recalled', value }] }
}

const noUser =
  'The run has neither a userId nor a session, so that nothing is recalled or remembered for it. Start it with one.'

function tellFailed({ runId, clock, emit }: EffectContext, part: 'query' | 'user', message: string): void {
  emit({ type: 'memory.failed', runId, at: clock.now(), part, message })
}

function checked(given: unknown): readonly Json[] {
  if (!Array.isArray(given)) throw new TypeError(`it returned no list. ${wish}`)
  return given.slice(0, mostFound).map((memory: unknown) => {
    const copied = copyJson(memory, { mostBytes })
    if (copied.problem !== undefined) throw new TypeError(`a memory ${copied.problem}. ${wish}`)
    const { value } = copied
    if (!isRecord(value) || typeof value['kind'] !== 'string' || value['data'] === undefined) {
      throw new TypeError(`its result is invalid. ${wish}`)
    }
    return value
  })
}

/** Returns the nearest memories that fit. */
function fitting(found: readonly Json[]): readonly Json[] {
  let left = mostSent
  const end = found.findIndex((memory) => (left -= isRecord(memory) ? JSON.stringify(memory['data']).length : 0) < 0)
  return end < 0 ? found : found.slice(0, end)
}

const wish = 'Expected a list of { kind, data, key, at }.'
