import { type ModelMessage, textOf } from '../../src/core/domain/message.ts'
import type { Model, ModelRequest } from '../../src/core/ports/model.ts'
import { scripted, type ScriptedAnswer, type ScriptedToolCall } from '../../src/adapters/providers/scripted.ts'
import type { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import { promptFaults } from './prompt-faults.ts'
import type { SequenceSetup, SetupCall } from './sequence-setup.ts'
import { promptNumber } from './spoken.ts'
import { misfit } from './watched-loop.ts'

/** Plays the replies of a setup by what a prompt holds, so that every process says the same. */
export class ScriptModel {
  readonly faults: string[] = []
  /** Model calls made, those of dead processes included. */
  asked = 0
  readonly #setup: SequenceSetup
  readonly #now: () => number
  /** Replies once given are given at once to whoever asks again after a crash. */
  readonly #given = new Set<string>()
  #held: { readonly mortal: MortalProcess; readonly give: () => void }[] = []

  constructor(setup: SequenceSetup, now: () => number) {
    this.#setup = setup
    this.#now = now
  }

  /** The model as the agent of one process has it. */
  of(mortal: MortalProcess): Model {
    const plain = scripted((request) => this.#answer(request, mortal), { now: this.#now })
    return {
      ...plain,
      stream: (request) => {
        this.asked++
        if (!mortal.isDead) this.faults.push(...promptFaults(request))
        return plain.stream(request)
      },
    }
  }

  /** True while the process waits for an answer. */
  isHolding(mortal: MortalProcess): boolean {
    return this.#held.some((one) => one.mortal === mortal)
  }

  /** Gives the answers that are held back. */
  release(): void {
    const held = this.#held
    this.#held = []
    for (const { give } of held) give()
  }

  async #answer(
    { messages, toolChoice, signal }: ModelRequest,
    mortal: MortalProcess,
  ): Promise<ScriptedAnswer | string> {
    const { number, index } = placeIn(messages)
    const reply = this.#setup.replies[number - 1 + index]
    const place = `${number}.${index}`
    if (reply?.isHeld === true && !signal.aborted && !this.#given.has(place)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const give = () => {
        this.#given.add(place)
        resolve()
      }
      const held = { mortal, give }
      this.#held.push(held)
      signal.addEventListener('abort', () => (this.#held = this.#held.filter((one) => one !== held)))
      await promise
    }
    const usage = { input: 10, output: 5 }
    if (toolChoice === 'none' && reply?.kind === 'misfit') return { text: misfit, usage }
    if (reply === undefined || toolChoice === 'none') return 'Bye'
    switch (reply.kind) {
      case 'text':
        return { text: 'Well', usage }
      case 'misfit':
        return { text: misfit, usage }
      case 'error':
        return { text: 'Hm', error: { kind: 'api', message: 'refused by the provider' } }
      case 'length': {
        const toolCalls = reply.calls.filter((call) => call.arguments === 'truncated').map(scriptedCall)
        return { text: 'Part', toolCalls, stopReason: 'length', usage }
      }
      case 'calls':
        return { toolCalls: reply.calls.map(scriptedCall), usage }
    }
  }
}

/** Which run a prompt belongs to, from 1, and how many answers it has had; each run begins one reply later than the one before. */
function placeIn(messages: readonly ModelMessage[]): { readonly number: number; readonly index: number } {
  const at = messages.findLastIndex((one) => one.role === 'user' && promptNumber(textOf(one)) !== undefined)
  const number = messages.slice(at, at + 1).map((one) => promptNumber(textOf(one)) ?? 1)[0] ?? 1
  return { number, index: messages.slice(at + 1).filter(({ role }) => role === 'assistant').length }
}

function scriptedCall({ id, tool, n, arguments: kind }: SetupCall): ScriptedToolCall {
  const call = { id, name: tool, arguments: kind === 'bad' ? { n: 'many' } : { n } }
  if (kind === 'malformed') return { ...call, malformed: 'Unexpected end of JSON input' }
  return kind === 'truncated' ? { ...call, truncated: true } : call
}
