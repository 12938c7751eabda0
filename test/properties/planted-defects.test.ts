import { expect, test } from 'vitest'
import type { AgentOptions, Store } from '../../src/index.ts'
import type { StoredRun } from '../../src/ports.ts'
import { checkSequences } from '../../proof/properties/check-sequences.ts'
import type { Defect } from '../../proof/properties/sequence-harness.ts'
import type { DecisionReceipt } from '../../src/core/domain/decision.ts'
import { forgettingQueue, retellingMessages } from '../../proof/crash/planted-bugs.ts'
import { promptFaults } from '../../proof/properties/prompt-faults.ts'
import { userMessage } from '../../src/core/domain/message.ts'

const seed = 3

test.each<[string, Defect, RegExp]>([
  [
    'a tool that says it may be repeated and may not',
    { tool: (plain) => ({ ...plain, effects: 'none' }) },
    /was performed 2 times/,
  ],
  ['a tool that forgets its approval', { tool: ({ needs: _, ...plain }) => plain }, /ran without approval/],
  ['a tool that gives its place up', { tool: ({ concurrency: _, ...plain }) => plain }, /began beside/],
  [
    'a store that hides decisions',
    { store: hidingDecisions },
    /waits although|no end within|hangs|without end|driving failed/,
  ],
  ['a store that says yes to everything', { store: sayingYes }, /was answered applied|took an answer/],
  ['a store that says yes to every cancel', { store: takingCancels }, /cancel.* (was answered|with) applied/],
  [
    'a store that forgets results',
    { store: forgettingResults },
    /the result of .* changed|with crashes the transcript|does not begin as/,
  ],
  ['a store that takes messages and forgets them', { store: forgettingMessages }, /heard .* where .* was said/],
  ['a store that tells messages backwards', { store: tellingBackwards }, /heard .* where .* was said/],
  ['a message that is taken in twice', { store: retellingMessages }, /heard .* where|refused a commit .* lists none/],
  ['a queue that is forgotten on restart', { store: forgettingQueue }, /heard .* where .* was said/],
  ['a store that does not come back', { store: hanging }, /hangs/],
  ['a store that forgets the last checkpoint', { store: withoutEnd }, /without RunFinished/],
  ['a hook that nobody asks', { options: without('hooks') }, /answers in a run that beforeTurn|was asked 0 times/],
  ['a plugin that cannot end a run', { options: without('ending') }, /answers in a run that/],
  ['a filter that lets everything pass', { options: without('refusing') }, /asked about what another had refused/],
  [
    'an output contract that nobody holds',
    { options: ({ output: _, ...others }) => others },
    /was not corrected|the output is undefined/,
  ],
  ['a store that keeps a refused prompt', { store: keepingInput }, /holds "Prompt .*", which a filter refused/],
  ['a store that changes what a run goes on from', { store: changingCarried }, /does not begin as run-\d ended/],
])(
  'TST-04 notices %s',
  async (_, defect, fault) => {
    const { failed, counterexample } = await checkSequences({ runs: 400, seed, defect, shrinks: false })
    expect(failed).toBe(true)
    expect(counterexample?.fault).toMatch(fault)
  },
  60_000,
)

test('TST-04 shrinks a counterexample, and replays it by seed and path', async () => {
  const defect: Defect = { tool: ({ needs: _, ...plain }) => plain }
  const first = await checkSequences({ runs: 400, seed, defect })
  const path = first.counterexample?.path ?? ''
  const again = await checkSequences({ runs: 1, seed, path, defect, shrinks: false })
  expect(again.counterexample).toEqual(first.counterexample)
  expect(first.counterexample?.sequence).toMatch(/^agent .*\n( {2}calls .*\n){1,2}then\n$/)
}, 60_000)

test('TST-04 RUN-07 recognises a prompt with an orphan, a missing result or an answer at its end', () => {
  const hello = userMessage('Hi', 0)
  const rest = { system: '', tools: [], signal: AbortSignal.any([]) }
  expect(promptFaults({ ...rest, messages: [hello] })).toEqual([])
  expect(promptFaults({ ...rest, messages: [hello, answerOf('1.a')] })).toEqual([
    'a prompt holds 1.a without its result',
    'a prompt ends in assistant',
  ])
  expect(promptFaults({ ...rest, messages: [hello, resultOf('1.a')] })).toEqual([
    'a prompt holds a result of 1.a where undefined was due',
  ])
  expect(promptFaults({ ...rest, messages: [hello, answerOf('1.a'), resultOf('1.a')] })).toEqual([])
})

function answerOf(callId: string) {
  return {
    role: 'assistant' as const,
    content: [{ type: 'toolCall' as const, id: 'a', callId, name: 'act', arguments: {} }],
    stopReason: 'toolUse' as const,
    model: 'scripted',
    provider: 'scripted',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
    timestamp: 0,
  }
}

function resultOf(callId: string) {
  return {
    role: 'toolResult' as const,
    callId,
    toolCallId: 'a',
    toolName: 'act',
    content: [],
    isError: false,
    status: 'success' as const,
    timestamp: 0,
  }
}

function hidingDecisions(store: Store): Store {
  return {
    ...store,
    inbox: async (...given) => (await store.inbox(...given)).filter(({ item }) => item.kind !== 'decision'),
  }
}

function sayingYes(store: Store): Store {
  const yes = (receipt: DecisionReceipt): DecisionReceipt => ({ ...receipt, answer: 'applied' })
  return { ...store, decide: async (...given) => (await store.decide(...given)).map(yes) }
}

function takingCancels(store: Store): Store {
  return {
    ...store,
    post: async (runId, item, at) => {
      const receipt = await store.post(runId, item, at)
      return item.kind === 'cancel' || item.kind === 'cancelCall' ? { ...receipt, answer: 'applied' } : receipt
    },
  }
}

function forgettingMessages(store: Store): Store {
  return {
    ...store,
    post: async (runId, item, at) => {
      if (item.kind !== 'steer') return store.post(runId, item, at)
      const { status } = await store.record(runId)
      return { target: runId, answer: status === 'done' ? 'stale' : 'applied' }
    },
  }
}

function tellingBackwards(store: Store): Store {
  return { ...store, inbox: async (...given) => (await store.inbox(...given)).toReversed() }
}

function forgettingResults(store: Store): Store {
  const forgotten = (run: StoredRun): StoredRun => {
    const log = run.log.map((entry) => {
      if (entry.kind !== 'call' || entry.call.result === undefined) return entry
      return { ...entry, call: { ...entry.call, result: { ...entry.call.result, content: [] } } }
    })
    return { ...run, log }
  }
  return {
    ...store,
    read: async (runId) => forgotten(await store.read(runId)),
    claim: async (...claim) => {
      const { run, ...lease } = await store.claim(...claim)
      return { ...lease, run: forgotten(run) }
    },
  }
}

function hanging(store: Store): Store {
  let commits = 0
  return { ...store, commit: (commit) => (++commits === 5 ? new Promise(() => {}) : store.commit(commit)) }
}

function without(left: string) {
  return ({ plugins = [], ...others }: AgentOptions): AgentOptions => ({
    ...others,
    plugins: plugins.filter(({ name }) => name !== left),
  })
}

function keepingInput(store: Store): Store {
  return { ...store, commit: ({ input: _, ...commit }) => store.commit(commit) }
}

function changingCarried(store: Store): Store {
  return {
    ...store,
    create: ({ continues, ...run }, ...given) =>
      store.create(continues === undefined ? run : { ...run, continues: { ...continues, seq: 1 } }, ...given),
  }
}

function withoutEnd(store: Store): Store {
  return {
    ...store,
    commit: ({ append, ...commit }) =>
      store.commit({
        ...commit,
        append: append.map((entry) => (entry.kind === 'checkpoint' ? { ...entry, names: ['UserMessage'] } : entry)),
      }),
  }
}
