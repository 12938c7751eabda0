/** Texts that make an assistant message and a tool result of 1 kB of JSON each. */
export const assistantText = 'a'.repeat(730)
export const resultText = 'r'.repeat(820)

/** The answer of a turn, or the last one, as a hand-written program would store it. */
export function assistantMessage(turn: number | undefined): string {
  const text = { type: 'text', text: assistantText }
  const call = { type: 'toolCall', id: `c${turn}`, callId: `${turn}.c${turn}`, name: 'echo', arguments: { turn } }
  return JSON.stringify({
    role: 'assistant',
    content: turn === undefined ? [text] : [text, call],
    stopReason: turn === undefined ? 'stop' : 'toolUse',
    model: 'counting',
    provider: 'bench',
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
    timestamp: 0,
  })
}

/** The tool result of a turn as a hand-written program would store it. */
export function resultMessage(turn: number): string {
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
  return JSON.stringify(result)
}
