import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A command as a picture shows it, and how much of its output the picture has. */
interface Shown {
  readonly command: string
  /** Default 40. */
  readonly lines?: number
}

const pays = { command: 'node pay-once.ts' }
const ledger = { command: 'cat ledger.txt' }

/** The commands of each picture of `docs/guides/before-it-happens.md`. */
const pictures: { readonly [name: string]: readonly Shown[] } = {
  probe: [{ command: 'DIES=1 node pay-once.ts' }, ledger, pays, ledger],
  forecast: [{ command: 'statewright forecast --agents after.ts' }],
  record: [{ command: 'statewright record dan --options before.ts --allow pay.to,pay.amount', lines: 22 }],
  policies: [
    { command: `statewright prove 'never(ran(pay) and not approvedBy())' --options before.ts`, lines: 3 },
    { command: `statewright prove 'never(ran(pay(to = "Bob")))' --options after.ts`, lines: 3 },
  ],
  diff: [{ command: 'statewright diff --options after.ts' }],
  coverage: [{ command: 'statewright coverage --options before.ts' }],
}

/** Stores runs of a clerk, runs the commands on them, and returns the lines of each picture. */
export function recordCommands(): { readonly [name: string]: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'pictures-'))
  const env = { ...process.env, LEDGER: join(folder, 'ledger.txt'), NO_COLOR: '1' }
  const node = (run: readonly string[], more: { readonly [name: string]: string } = {}) => {
    const options = {
      cwd: 'scripts/pictures/clerk',
      encoding: 'utf8',
      env: { ...env, ...more },
      timeout: 60_000,
    } as const
    const { stdout, stderr, signal } = spawnSync(process.execPath, [...run], options)
    return `${stdout}${stderr}${signal === 'SIGKILL' ? 'Killed' : ''}`
  }
  const print = (command: string): string => {
    const [program, ...words] = wordsOf(command)
    if (program === 'cat') return readFileSync(env.LEDGER, 'utf8')
    if (program !== 'statewright')
      return node(['pay-once.ts', join(folder, 'paid.db')], program === 'node' ? {} : { DIES: '1' })
    const isStored = words[0] !== 'prove'
    return node([resolve('bin/statewright.js'), ...words, ...(isStored ? ['--store', join(folder, 'runs.db')] : [])])
  }
  try {
    node(['store-runs.ts', join(folder, 'runs.db')], { LEDGER: join(folder, 'other-ledger.txt') })
    const entries = Object.entries(pictures).map(([name, shown]) => [
      name,
      shown.flatMap(({ command, lines = 40 }) => [
        `$ ${command}`,
        ...print(command).trimEnd().split('\n').slice(0, lines).flatMap(wrapped),
        '',
      ]),
    ])
    return Object.fromEntries(entries) as ReturnType<typeof recordCommands>
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Splits a command at spaces outside of quotes. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

const columns = 104

/** Breaks a line at spaces. */
function wrapped(line: string): readonly string[] {
  const at = line.length <= columns ? -1 : line.lastIndexOf(' ', columns)
  return at <= 0 ? [line] : [line.slice(0, at), ...wrapped(`    ${line.slice(at + 1)}`)]
}
