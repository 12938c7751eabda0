/**
 * Texts of a short conversation, 0.4 kB of JSON a message: of longer ones the bare store spends most of its time and
 * bytes on pages of their own, and what the engine adds would not show.
 */
export const assistantText = 'I look that up and tell you what I find.'

/** What the user says where a conversation is given. */
export const userText = 'Twelve degrees, light rain in the morning and dry later on.'

/** What a tool answers: 256 letters. */
export const resultText = `${userText} `.repeat(5).slice(0, 256)

/** What a tool is given: 64 letters, which no other call has. */
export function argumentText(turn: number, index: number): string {
  return `Call ${index} of turn ${turn}: what is the weather where people wait for a train?`.slice(0, 64)
}

/** An answer as a program of one's own would keep it, with so many tool calls. */
export function assistantMessage(turn: number, calls: number): object {
  const toolCalls = Array.from({ length: calls }, (_, index) => ({
    type: 'toolCall',
    id: callId(turn, index),
    callId: `${turn}.${callId(turn, index)}`,
    name: 'echo',
    arguments: { text: argumentText(turn, index) },
  }))
  return {
    role: 'assistant',
    content: [{ type: 'text', text: assistantText }, ...toolCalls],
    stopReason: calls === 0 ? 'stop' : 'toolUse',
    model: 'counting',
    provider: 'bench',
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
    timestamp: 0,
  }
}

/** A tool result as a program of one's own would keep it. */
export function resultMessage(turn: number, index: number): object {
  return {
    role: 'toolResult',
    callId: `${turn}.${callId(turn, index)}`,
    toolCallId: callId(turn, index),
    toolName: 'echo',
    content: [{ type: 'text', text: resultText }],
    isError: false,
    status: 'success',
    timestamp: 1_700_000_000_000,
  }
}

/** What the user says, as a program of one's own would keep it. */
export function promptMessage(text = 'Go.'): object {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: 0 }
}

/** The id a model gives to a call. */
export function callId(turn: number, index: number): string {
  return `c${turn}.${index}`
}

/** So many letters of lines that differ, as a file's do. */
export function linesOf(salt: number, letters: number): string {
  let text = ''
  for (let line = 0; text.length < letters; line++) text += `const value${line} = ${(line * 7919 + salt) % 10_007}\n`
  return text.slice(0, letters)
}
