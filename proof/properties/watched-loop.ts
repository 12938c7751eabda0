import type { AgentOptions } from '../../src/core/agent/options.ts'
import { type Message, textOf } from '../../src/core/domain/message.ts'
import type { Plugin } from '../../src/core/ports/plugin.ts'
import type { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import type { EndingSetup, HookSetup, LoopSetup } from './loop-setup.ts'
import { warning } from './spoken.ts'

/** One time that a hook or the plugin that ends runs was asked. */
export interface Asked {
  readonly runId: string
  readonly mortal: MortalProcess
  readonly by: HookSetup['name'] | EndingSetup['phase']
  readonly said: HookSetup['says'] | 'end'
  /** The place of the question about a call. */
  readonly callId?: string
}

/** Text that an answer may not contain if an agent has an output contract. */
export const misfit = 'No'

/** The exception of hooks. */
export const thrown = 'boom'

/** Filters, hooks, plugins and the contract of a sequence's agent, and what they were asked. */
export class WatchedLoop {
  readonly asked: Asked[] = []
  readonly faults: string[] = []
  readonly #setup: LoopSetup
  readonly #runId: () => string

  /** `runId` is that of the run that is driven now. */
  constructor(setup: LoopSetup, runId: () => string) {
    this.#setup = setup
    this.#runId = runId
  }

  /** The options as the agent of one process has them. */
  options(mortal: MortalProcess): Partial<AgentOptions> & { readonly plugins: readonly Plugin[] } {
    const { isFiltered, isChecked, hook, ending } = this.#setup
    return {
      ...(isChecked ? { output: { type: 'string', pattern: `^(?!.*${misfit})` } } : {}),
      plugins: [
        ...(isFiltered ? this.#filters(mortal) : []),
        ...(ending === null ? [] : [this.#ending(ending, mortal)]),
        ...(hook === null ? [] : [{ name: 'hooks', ...this.#hooks(hook, mortal) }]),
      ],
    }
  }

  #filters(mortal: MortalProcess): readonly Plugin[] {
    const holds = (messages: readonly Message[], word: string) => messages.some((one) => textOf(one).includes(word))
    const reasonOf = (messages: readonly Message[]) => /\d+/.exec(messages.map(textOf).join())?.[0] ?? ''
    return [
      { name: 'warning', filterInput: (messages) => (holds(messages, 'warned') ? { warn: warning } : undefined) },
      {
        name: 'refusing',
        filterInput: (messages) => (holds(messages, 'refused') ? { reject: reasonOf(messages) } : undefined),
      },
      {
        name: 'last',
        filterInput: (messages, { kind }) => {
          if (mortal.isDead) return
          if (holds(messages, 'refused')) this.faults.push('a filter was asked about what another had refused')
          if (!holds(messages, kind === 'prompt' ? 'Prompt' : kind))
            this.faults.push(`a filter was asked about a ${kind}`)
        },
      },
    ]
  }

  #hooks({ name, at, says }: HookSetup, mortal: MortalProcess): Omit<Plugin, 'name'> {
    const answer = (isMeant: boolean, callId?: string) => {
      const said = isMeant ? says : 'nothing'
      this.asked.push({ runId: this.#runId(), mortal, by: name, said, ...(callId === undefined ? {} : { callId }) })
      if (said === 'throw') throw new Error(thrown)
      return said !== 'no'
    }
    const isItsTurn = (turn: number) => turn % 3 === at % 3
    const isItsCall = (callId: string) => isItsTurn(Number.parseInt(callId, 10))
    const hooks: Omit<Plugin, 'name'> = {
      beforeRun: ({ messages }) => answer(messages().length % 2 === at % 2),
      afterRun: () => void answer(true),
      beforeTurn: ({ turn }) => answer(turn === at),
      afterTurn: ({ messages }) => void answer(isItsTurn(messages().filter(({ role }) => role === 'assistant').length)),
      beforeTool: ({ call: { callId } }) => answer(isItsCall(callId), callId),
      afterTool: ({ call: { callId } }) => void answer(isItsCall(callId), callId),
      onError: () => void answer(true),
    }
    return { [name]: hooks[name] }
  }

  #ending({ phase, at, code }: EndingSetup, mortal: MortalProcess): Plugin {
    const due = phase === 'runStart' ? at - 1 : at
    return {
      name: 'ending',
      [phase]: ({ turn, terminate }: { readonly turn: number; readonly terminate: (code?: string) => void }) => {
        if (turn !== due) return
        this.asked.push({ runId: this.#runId(), mortal, by: phase, said: 'end' })
        terminate(code ?? undefined)
      },
    }
  }
}
