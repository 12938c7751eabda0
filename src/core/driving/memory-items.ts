import { argumentsOf } from '../domain/call.ts'
import { carriedIn } from '../domain/carried.ts'
import type { Json } from '../domain/text/json.ts'
import { textOf } from '../domain/message.ts'
import type { Outcome } from '../domain/outcome.ts'
import { isRecalledNote, rememberedFor } from '../domain/recalled.ts'
import { detailsIn } from '../domain/run-details.ts'
import type { MemoryItem } from '../ports/memory.ts'
import type { OutgoingItem } from '../domain/outgoing.ts'
import type { Remembering } from '../runtime/drive-options.ts'
import type { RunLog } from '../runtime/run-log.ts'

/** Returns the kind of the outgoing items for an agent's memory. Two agents on one store have different kinds. */
export function memoryKind(agent: string): string {
  return `memory:${agent}`
}

/**
 * Returns the items of a commit for a memory: each call whose tool has ended, and the end of the run. Returns none for
 * a run without a user and a session.
 */
export function memoryItems(agent: string, runId: string, made: Remembering, at: number): readonly OutgoingItem[] {
  const { input, log, settled, outcome } = made
  const user = rememberedFor(detailsIn(runId, input))
  if (user === undefined) return []
  const interactions = settled.flatMap((callId) => interactionOf(log, callId))
  const end = outcome === undefined ? [] : endOf(log, carriedIn(input), outcome)
  return [...interactions, ...end].map(({ name, kind, data }) => {
    const key = `${runId}/${name}`
    const item: MemoryItem = { ...user, kind, data, key, at }
    return { id: key, kind: memoryKind(agent), destination: key, body: item as unknown as Json }
  })
}

interface Remembered {
  readonly name: string
  readonly kind: string
  readonly data: Json
}

/** A call that was cancelled before its tool returned is not an interaction, and neither is a hold. */
function interactionOf(log: RunLog, callId: string): readonly Remembered[] {
  const call = log.requireCall(callId)
  const { status, result, isHold, toolName } = call
  if (isHold === true || result === undefined || (status !== 'succeeded' && status !== 'failed')) return []
  const asked = shortened(JSON.stringify(argumentsOf(call, log)))
  const data = { tool: toolName, arguments: asked, result: shortened(textOf(result)) }
  return [{ name: callId, kind: 'interaction', data }]
}

const endings: readonly Outcome['reason'][] = ['natural_end', 'plugin_requested']

function endOf(log: RunLog, carried: number, { reason, code }: Outcome): readonly Remembered[] {
  const limit = code?.startsWith('max_') === true ? { limit: code } : {}
  const isLimit = 'limit' in limit
  if (!isLimit && !endings.includes(reason)) return []
  const answer = log.lastAnswer()
  const text = answer === undefined ? '' : textOf(answer)
  const data = { user: saidIn(log, carried), ...(text === '' ? {} : { answer: shortened(text) }), ...limit }
  return [{ name: 'end', kind: isLimit ? 'limit' : 'answer', data }]
}

/** Returns the user's text before the first answer of the run. */
function saidIn(log: RunLog, carried: number): string {
  const own = log.entries().filter(({ seq }) => seq > carried)
  const first = own.findIndex((entry) => entry.kind === 'message' && entry.message.role === 'assistant')
  const said = own.slice(0, first < 0 ? own.length : first).flatMap((entry) => {
    const isSaid = entry.kind === 'message' && entry.message.role === 'user' && !isRecalledNote(entry.message)
    return isSaid ? textOf(entry.message) : []
  })
  return shortened(said.join('\n'))
}

/** The maximum stored characters of each text. */
const mostLetters = 4_000

function shortened(text: string): string {
  return text.length <= mostLetters ? text : `${text.slice(0, mostLetters).toWellFormed()} […]`
}
