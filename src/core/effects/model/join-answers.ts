import { type AssistantMessage, textOf } from '../../domain/message.ts'
import { addUsage } from '../../domain/usage.ts'

/** The parts of an answer that was cut off, as one message. */
export function joinAnswers(answers: readonly AssistantMessage[]): AssistantMessage {
  const [first, ...others] = answers
  if (first === undefined) throw new Error('No answer to join.')
  return others.reduce((whole, next) => {
    const rest = next.content.filter((block) => block.type !== 'text')
    const kept = whole.content.filter((block) => block.type !== 'text')
    return {
      ...next,
      content: [...kept, { type: 'text', text: textOf(whole) + textOf(next) }, ...rest],
      usage: addUsage(whole.usage, next.usage),
      ...sumOf('cost', whole, next),
      ...sumOf('executionUnits', whole, next),
    }
  }, first)
}

function sumOf(field: 'cost' | 'executionUnits', left: AssistantMessage, right: AssistantMessage): object {
  const given = [left[field], right[field]].filter((amount) => amount !== undefined)
  return given.length === 0 ? {} : { [field]: given.reduce((sum, amount) => sum + amount) }
}
