import { expect, test } from 'vitest'
import { type AssistantMessage, type ModelMessage, userMessage } from '../../../src/core/domain/message.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import { type Cut, noCut } from '../../../src/core/prompt/cut.ts'
import { leftOutBy } from '../../../src/core/prompt/left-out.ts'

const lines = Array.from({ length: 9 }, (_, line) => `line ${line}`).join('\n')
const answer = (id: string): AssistantMessage => ({
  role: 'assistant',
  content: [{ type: 'toolCall', id, callId: id, name: 'read', arguments: {} }],
  stopReason: 'toolUse',
  model: 'm',
  provider: 'p',
  usage: noUsage,
  timestamp: 0,
})
const result = (id: string): ModelMessage => ({
  role: 'toolResult',
  callId: id,
  toolCallId: id,
  toolName: 'read',
  content: [{ type: 'text', text: lines }],
  isError: false,
  status: 'success',
  timestamp: 0,
})
/** Places: 0 user, then turn by turn an answer, its result, and what a person says. */
const prompt: readonly ModelMessage[] = [
  userMessage('Go.', 0),
  ...['a', 'b', 'c'].flatMap((id) => [answer(id), result(id), userMessage(`After ${id}.`, 0)]),
]
const outputs: Cut = { ...noCut, head: 1, outputs: 6, lines: 4 }
const summary = { base: { upTo: 7, list: [[0, 1], userMessage('[Summary] Three turns.', 0)] as const } }

test.for<[string, Cut, Cut, object]>([
  ['nothing', noCut, noCut, { dropped: [], shortened: [] }],
  [
    'outputs',
    noCut,
    outputs,
    {
      dropped: [],
      shortened: [
        [2, 3],
        [5, 6],
      ],
    },
  ],
  ['a turn in one line', outputs, { ...outputs, turns: 4 }, { dropped: [[1, 3]], shortened: [] }],
  ['the middle', outputs, { ...outputs, turns: 7, dropped: 7 }, { dropped: [[1, 7]], shortened: [] }],
  [
    'the middle but an open turn',
    outputs,
    { ...outputs, turns: 7, dropped: 7, kept: [4] },
    {
      dropped: [
        [1, 4],
        [6, 7],
      ],
      shortened: [],
    },
  ],
  [
    'more of the middle',
    { ...outputs, turns: 4, dropped: 4 },
    { ...outputs, turns: 7, dropped: 7 },
    { dropped: [[4, 7]], shortened: [] },
  ],
  ['what a summary stands for', noCut, { ...noCut, ...summary }, { dropped: [[1, 7]], shortened: [] }],
  [
    'outputs behind a summary',
    { ...noCut, ...summary },
    { ...noCut, ...summary, head: 2, outputs: 4, lines: 4 },
    { dropped: [], shortened: [[8, 9]] },
  ],
])('CTX-02 lists the messages that a move of the cut leaves out: %s', ([, before, cut, listed]) => {
  expect(leftOutBy(prompt, cut, before)).toEqual(listed)
})
