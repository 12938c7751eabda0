const map = 'docs/architecture.md'

/** The head of the map's table of effects and of their recovery after a crash. */
const head = '| Effect | `kind` | After the load |'

/**
 * Returns the differences between the kinds of effects on the map and in their handlers; `read` returns the text of a
 * source.
 */
export function checkEffects(page: string, read: (path: string) => string): readonly string[] {
  const kinds = handlerKinds(read)
  const rows = tableRows(page)
  const told = new Map(rows)
  const missing = [...kinds.keys()].filter((name) => !told.has(name))
  return [
    ...missing.map((name) => `${map} does not say what a crash means for the effect ${name}`),
    ...rows
      .filter(([name, kind]) => kinds.get(name) !== kind)
      .map(
        ([name, kind]) =>
          `${map} says that the effect ${name} is ${kind}; its handler is ${kinds.get(name) ?? 'not there'}`,
      ),
  ]
}

/** Returns the kind of each effect in the table of handlers; each handler's file is named after its effect. */
function handlerKinds(read: (path: string) => string): ReadonlyMap<string, string> {
  const handlers = read('src/core/effects/effect-handlers.ts')
  const [, table = ''] = handlers.split('interface Effects {')
  const [body = ''] = table.split('}')
  const names = [...body.matchAll(/readonly (\w+): /g)].map(([, name = '']) => name)
  return new Map(
    names.map((name) => [name, /^ +kind: '(\w+)'/m.exec(read(fileOf(name, handlers)))?.[1] ?? 'of no kind']),
  )
}

/** Returns the file of an effect, in the folder from which the table of handlers imports it. */
function fileOf(name: string, handlers: string): string {
  const file = `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`
  return `src/core/effects/${new RegExp(`'\\./((?:[\\w-]+/)?${file})'`).exec(handlers)?.[1] ?? file}`
}

/** Returns each effect of the table with its kind; an effect may be in several rows. */
function tableRows(page: string): readonly (readonly [name: string, kind: string])[] {
  const [, table = ''] = page.split(`${head}\n`)
  const [rows = ''] = table.split('\n\n')
  return rows.split('\n').flatMap((row) => {
    const [, effects = '', kind = ''] = row.split('|')
    const names = [...effects.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    return names.map((name) => [name, kind.replaceAll('`', '').trim()] as const)
  })
}
