import { commandNames, commandRow, usageOf } from '../../../src/apps/cli/setup/command-table.ts'
import { notes } from '../../../src/apps/cli/setup/help-text.ts'
import { optionNames, optionText, optionUsage } from '../../../src/apps/cli/setup/option-table.ts'

/** Returns the page of all commands, from the tables of the command line itself. */
export function writeCommands(): string {
  const rows = commandNames.map((name) => {
    const { summary, options } = commandRow(name)
    const named = optionNames.filter((option) => options.includes(option)).map((option) => `\`--${option}\``)
    return `| \`${cell(usageOf(name))}\` | ${cell(summary)} | ${named.join(' ')} |`
  })
  const options = optionNames.map((name) => `| \`${cell(optionUsage(name))}\` | ${cell(optionText(name))} |`)
  return [
    '# Commands',
    '',
    'Written from the table of commands by `npm run docs`. How it is to work at a terminal: [guide](../guides/terminal.md).',
    '',
    '| Command | Does | Options |',
    '|---|---|---|',
    ...rows,
    '',
    '## Options',
    '',
    '| Option | Is |',
    '|---|---|',
    ...options,
    '',
    '## Ids, JSON and exit codes',
    '',
    '```text',
    ...notes,
    '```',
    '',
  ].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
