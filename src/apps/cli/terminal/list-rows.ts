import type { CliIo, Paint } from './cli-io.ts'
import { cutToColumns } from './columns.ts'

/** A row of a list: a short id, an age, a state, the name of an agent, and a text. */
export type ListRow = readonly [id: string, age: string, state: string, agent: string, text: string]

/** Returns rows with columns that fit their content; columns without room are dropped from the right. */
export function listRows(rows: readonly ListRow[], { io, paint }: { io: CliIo; paint: Paint }): readonly string[] {
  const width = Math.max(20, io.columns || 80) - 1
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const [ids = 0, ages = 0, states = 0, agents = 0] = widths
  const left = ids + ages + states + 6
  const showsAgent = width - left - agents - 2 >= leastText
  const room = width - left - (showsAgent ? agents + 2 : 0)
  return rows.map(([id, age, state, agent, text]) =>
    [
      paint('bold', id.padEnd(ids)),
      paint('dim', age.padStart(ages)),
      paintState(state, paint).concat(' '.repeat(states - state.length)),
      ...(showsAgent ? [agent.padEnd(agents)] : []),
      ...(room > 0 && text !== '' ? [cutToColumns(text, room)] : []),
    ]
      .join('  ')
      .trimEnd(),
  )
}

/** The minimum width of the text; below it, the agent's name is dropped. */
const leastText = 20

function paintState(state: string, paint: Paint): string {
  if (state.startsWith('waiting')) return paint('yellow', state)
  if (state === 'running' || state === 'done') return paint('green', state)
  return state.startsWith('stopped') || state === 'damaged' || state.startsWith('done (error')
    ? paint('red', state)
    : state
}
