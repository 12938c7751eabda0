import { globSync, readFileSync } from 'node:fs'
import { adviceOf, adviceOfClass, resultAdvice, serverAdvice } from './error-advice.ts'
import { writeReference, writeTable } from './write-table.ts'

/** Matches a code of a server in its sources, with its status. */
const written = /(?:new HttpError|failure)\(\s*(\d+),\s*'(\w+)'/g

/** Matches an error class with its doc comment. */
const declared = /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport class (\w+Error) extends (?:Error\b|ErrorWithCode)/

/** Returns the page of all errors; `exported` are the lines of `writeExports`. Throws if one has no advice. */
export function writeErrors(exported: string): string {
  const classes = exported.split('\n').flatMap((line) => {
    const [entry = '', name = '', more] = line.split(' ')
    return more === undefined && name.endsWith('Error') ? [{ entry, name, doc: docOf(name) }] : []
  })
  const parts = classes.map(({ entry, name, doc }) => {
    const codes = Object.entries(adviceOf[name] ?? {}).map(([code, advice]) => [`\`${code}\``, advice])
    const only = adviceOfClass[name]
    if (codes.length === 0 && only === undefined) throw new Error(`The page of errors has no advice for ${name}.`)
    const head = name === 'ModelError' ? '`kind`' : '`code`'
    const body = codes.length === 0 ? (only ?? '') : writeTable([head, 'What to do'], codes)
    return `## ${name}\n\n${doc} From \`${entry}\`.\n\n${body}`
  })
  return writeReference(
    'Errors',
    'Every error has a `message` that says what happened, what was expected and what to do. This page repeats the last part by code. The ends of a run are no exceptions; [how a run ends](../guides/endings.md) lists them.',
    [...parts, resultPart(), serverPart()],
  )
}

function resultPart(): string {
  const rows = Object.entries(resultAdvice).map(([code, advice]) => [`\`${code}\``, advice])
  return `## Error results of tools\n\nA tool that fails ends no run. The model reads an error result with one of these codes.\n\n${writeTable(['`code`', 'Meaning'], rows)}`
}

function serverPart(): string {
  const found = new Map<string, string>()
  for (const path of globSync('src/servers/**/*.ts')) {
    for (const [, status = '', code = ''] of readFileSync(path, 'utf8').matchAll(written)) found.set(code, status)
  }
  const codes = [...found.keys()].sort()
  const missing = codes.filter((code) => serverAdvice[code] === undefined)
  const stale = Object.keys(serverAdvice).filter((code) => !found.has(code))
  if (missing.length + stale.length > 0) {
    throw new Error(`Advice for codes of servers: ${missing.join(', ')} missing, ${stale.join(', ')} not sent.`)
  }
  const rows = codes.map((code) => [`\`${code}\``, found.get(code) ?? '', serverAdvice[code] ?? ''])
  const intro =
    'Servers answer an error as `{ code, message }`. Codes of a `UsageError` have the status 400, 404 or 409, those of a store 404, 409 or 503. These come beside them.'
  return `## Answers of servers\n\n${intro}\n\n${writeTable(['`code`', 'Status', 'What to do'], rows)}`
}

function docOf(name: string): string {
  for (const path of globSync('src/**/*-error.ts').concat(globSync('src/**/serve-error.ts'))) {
    const [, doc = '', found] = declared.exec(readFileSync(path, 'utf8')) ?? []
    if (found === name)
      return doc
        .replaceAll(/\s*\n \* ?/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
  }
  throw new Error(`The class ${name} has no doc comment.`)
}
