import type { CliIo } from './cli-io.ts'
import type { Person } from './person.ts'

/** Lines of a terminal that does not tell how many it has. */
const usualRows = 24

/**
 * Prints a text a screen at a time and waits for a key between them; `q`, the end of the input and Ctrl-C leave the rest
 * out. Nothing typed here is an answer to anything else.
 */
export async function pageText(text: string, person: Person, io: CliIo): Promise<void> {
  const lines = text.split('\n')
  const height = Math.max(2, (io.rows || usualRows) - 1)
  for (let shown = 0; shown < lines.length; shown += height) {
    io.stdout.write(`${lines.slice(shown, shown + height).join('\n')}\n`)
    const last = shown + height
    if (last >= lines.length) return
    const typed = await person.press(`-- ${last} of ${lines.length} lines; Enter shows more, q ends -- `)
    if (typed === undefined || typed === 'q') return
  }
}
