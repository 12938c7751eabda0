import { assistantText, resultText } from './texts.ts'

/** Microseconds a turn of the least loop that could do the work: no store, no states, no proof. */
export async function handWrittenLoop(turns: number): Promise<number> {
  const messages: unknown[] = [{ role: 'user', content: 'Go.' }]
  const model = (turn: number) => Promise.resolve({ text: assistantText, call: turn < turns ? { turn } : undefined })
  const tool = () => Promise.resolve(resultText)
  const start = process.hrtime.bigint()
  for (let turn = 0; ; turn++) {
    const answer = await model(turn)
    messages.push({ role: 'assistant', content: answer })
    if (answer.call === undefined) break
    messages.push({ role: 'toolResult', content: await tool() })
  }
  return Number(process.hrtime.bigint() - start) / 1000 / turns
}
