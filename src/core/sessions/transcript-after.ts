import { checkOptions, expecting, optional, type OptionShape } from '../domain/text/option-shape.ts'
import { isShaped } from '../domain/text/shape.ts'
import type { Message } from '../domain/message.ts'
import { fromOwn } from '../transcripts/from-own.ts'
import { readAtOnce } from '../transcripts/read-parts.ts'

/** Options of the input of a bare actor. */
export interface MachineInputOptions {
  /** The output of an actor that is done, or only its messages, from which the run continues. */
  readonly after?: { readonly messages: readonly Message[] }
}

const output = expecting('the output of an actor that is done, or { messages }', isShaped({ messages: Array.isArray }))

const shape: OptionShape<MachineInputOptions> = { after: optional(output) }

/**
 * Returns the transcript that a bare actor continues, with a result for each call. Throws a `TranscriptError` for an
 * invalid transcript.
 */
export function transcriptAfter(options: MachineInputOptions): { readonly after?: readonly Message[] } {
  checkOptions('machineInput', options, shape)
  const { after } = options
  if (after === undefined) return {}
  return { after: readAtOnce(after.messages, { format: 'statewright' }, { statewright: fromOwn }).messages }
}
