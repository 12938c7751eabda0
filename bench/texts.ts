/** Texts that make an assistant message and a tool result of 1 kB of JSON each. */
export const assistantText = 'a'.repeat(730)
export const resultText = 'r'.repeat(820)

/** The two messages of a turn as a hand-written program would store them. */
export function turnMessages(turn: number): readonly [string, string] {
  const assistant = {
    role: 'assistant',
    content: [
      { type: 'text', text: assistantText },
      { type: 'toolCall', id: `c${turn}`, callId: `${turn}.c${turn}`, name: 'echo', arguments: { turn } },
    ],
    stopReason: 'toolUse',
    model: 'counting',
    provider: 'bench',
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
    timestamp: 0,
  }
  const result = {
    role: 'toolResult',
    callId: `${turn}.c${turn}`,
    toolCallId: `c${turn}`,
    toolName: 'echo',
    content: [{ type: 'text', text: resultText }],
    isError: false,
    status: 'success',
    timestamp: 1_700_000_000_000,
  }
  return [JSON.stringify(assistant), JSON.stringify(result)]
}
