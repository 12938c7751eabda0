import { parseSync } from 'oxc-parser'

/** A public subpath and the text of the source file behind it. */
export interface Door {
  readonly subpath: string
  readonly path: string
  readonly text: string
}

/** Every name each subpath of the package exports, one a line, so that a change of the public API shows. */
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
