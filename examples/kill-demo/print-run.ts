import type { AgentEvent, Message, Run } from '../../src/index.ts'

/** Prints the events as they arrive, one line each, until the run rests. */
export async function printEvents(events: AsyncIterable<AgentEvent>): Promise<void> {
  for await (const event of events) {
    const line = lineOf(event)
    if (line !== undefined) console.log(line)
    if (event.type === 'run.ended' || event.type === 'run.waiting') return
  }
}

function lineOf(event: AgentEvent): string | undefined {
  if (event.type.startsWith('run.')) return event.type
  if (event.type === 'turn.started') return `turn ${event.turn}`
  if (event.type === 'toolExecution.ended') return `  ${event.toolName} ${event.callId} ${event.status}`
  if (event.type !== 'toolExecution.started') return undefined
  return `  ${event.toolName} ${event.callId} runs (attempt ${event.attempt})`
}

/** Prints the state at each checkpoint, and a short transcript. */
export async function printRun(run: Run): Promise<void> {
  console.log('states passed:')
  for (const { version, names } of await run.history()) {
    const { value } = await run.at(version)
    console.log(`  ${String(version).padStart(2)}  ${pathOf(value).padEnd(34)} ${names.join(', ')}`)
  }
  console.log('transcript:')
  for (const message of await run.messages()) for (const line of shortOf(message)) console.log(`  ${line}`)
}

function pathOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, nested]) => `${name}.${pathOf(nested)}`)
    .join(' ')
    .replace(/\.$/, '')
}

function shortOf(message: Message): readonly string[] {
  if (message.role === 'extension') return []
  const who = message.role === 'toolResult' ? `${message.toolName} ${message.callId}` : message.role
  return message.content.flatMap((block) => {
    if (block.type === 'text') return `${who}: ${firstLine(block.text)}`
    return block.type === 'toolCall' ? `${who} calls ${block.name} ${firstLine(JSON.stringify(block.arguments))}` : []
  })
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > 90 ? `${line.slice(0, 89)}…` : line
}
