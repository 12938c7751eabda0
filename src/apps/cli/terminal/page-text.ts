import type { CliIo } from './cli-io.ts'
import type { Dialog } from './dialog.ts'

const usualRows = 24

/**
 * Prints a text one screen at a time and waits for a key between screens; `q`, the end of the input and Ctrl-C skip the
 * rest. The keys typed here never answer another question.
 */
export async function pageText(text: string, dialog: Dialog, io: Pick<CliIo, 'rows'>): Promise<void> {
  const lines = text.split('\n')
  const height = Math.max(2, (io.rows || usualRows) - 1)
  for (let shown = 0; shown < lines.length; shown += height) {
    dialog.print(lines.slice(shown, shown + height).join('\n'))
    const last = shown + height
    if (last >= lines.length) return
    const typed = await dialog.key(`-- ${last} of ${lines.length} lines; Enter shows more, q ends -- `)
    if (typed === undefined || typed === 'q') return
  }
}
