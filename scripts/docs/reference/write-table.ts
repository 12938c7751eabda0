/** Returns a Markdown table. */
export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.map(cell).join(' | ')} |`)
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---|').join('')}`, ...lines].join('\n')
}

/** Returns a page of the reference: its title, the line that says how it is made, and its parts. */
export function writeReference(title: string, intro: string, parts: readonly string[]): string {
  const made = '<!-- Written by `npm run docs`; do not edit. -->'
  return `${[`# ${title}`, made, intro, ...parts].join('\n\n')}\n`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
