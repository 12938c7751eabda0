import { parseSync } from 'oxc-parser'

/** A public subpath with the text of its source file. */
export interface Door {
  readonly subpath: string
  readonly path: string
  readonly text: string
}

/** Returns every exported name of each subpath, one per line, so that a change of the public API is visible. */
export function writeExports(doors: readonly Door[]): string {
  const lines = doors.flatMap((door) => namesOf(door).map((name) => `${door.subpath} ${name}`))
  return `${lines.join('\n')}\n`
}

function namesOf({ path, text }: Door): readonly string[] {
  const { module } = parseSync(path, text, { sourceType: 'module' })
  const entries = module.staticExports.flatMap((statement) => statement.entries)
  return entries
    .map(({ exportName, moduleRequest, isType }) => {
      if (exportName.name === null) return `everything of ${moduleRequest?.value ?? 'nowhere'}`
      return isType ? `type ${exportName.name}` : exportName.name
    })
    .sort()
}
