/** A line of a tree of events: an event or several to choose from, or a named group of the lines below it. */
interface Line {
  readonly name: string
  readonly times: '' | '*' | '?'
  readonly below: Line[]
}

/** The order of events according to a page. */
export interface EventTree {
  /** Every event the tree names. */
  readonly names: ReadonlySet<string>
  /** Matches `type;type;…` of a whole run. */
  readonly run: RegExp
  /** The same for the events of one call, over all of its run. */
  readonly call: RegExp
}

/** Reads the tree of a page: its `text` block whose first line is `run`. Events of different calls may come in any mixture. */
export function readEventTree(markdown: string): EventTree {
  const [, text] = /^```text\n(run\n[^]*?)^```$/m.exec(markdown) ?? []
  if (text === undefined) throw new Error('The page has no tree of events.')
  const groups = new Map<string, Line>()
  const [root] = readLines(text.trimEnd().split('\n'), groups)
  const call = groups.get('call')
  if (root === undefined || call === undefined) throw new Error('The tree lacks "run" or "call".')
  return {
    names: new Set([...groups.values()].flatMap((group) => namesIn(group))),
    run: new RegExp(`^${patternOf(root, groups)}$`),
    call: new RegExp(`^(?:${call.below.map((line) => patternOf(line, groups)).join('')})*$`),
  }
}

function readLines(lines: readonly string[], groups: Map<string, Line>): readonly Line[] {
  const tops: Line[] = []
  const open: Line[] = []
  for (const text of lines) {
    const [, branch, name, times] = /^([│├└ ]*)([\w.]+(?: \| [\w.]+)*)(?: ([*?]))?(?: {2,}.*)?$/.exec(text) ?? []
    if (branch === undefined || name === undefined) throw new Error(`No line of a tree: ${text}`)
    const line: Line = { name, times: times === '*' || times === '?' ? times : '', below: [] }
    const depth = branch.length / 2
    open.length = depth
    const parent = open.at(-1)
    if (parent === undefined) tops.push(line)
    else {
      parent.below.push(line)
      if (!groups.has(parent.name)) groups.set(parent.name, parent)
    }
    open.push(line)
  }
  return tops
}

function namesIn(group: Line): readonly string[] {
  return group.below.flatMap(({ name }) => (isEvents(name) ? name.split(' | ') : []))
}

function patternOf(line: Line, groups: ReadonlyMap<string, Line>): string {
  return `(?:${bodyOf(line, groups)})${line.times}`
}

function bodyOf({ name }: Line, groups: ReadonlyMap<string, Line>): string {
  if (isEvents(name)) return alternatives(name.split(' | '))
  const group = groups.get(name)
  if (group === undefined) throw new Error(`The tree has no group "${name}".`)
  if (name === 'call') return alternatives(allNames(group, groups))
  return group.below.map((line) => patternOf(line, groups)).join('')
}

function allNames(group: Line, groups: ReadonlyMap<string, Line>): readonly string[] {
  return group.below.flatMap(({ name }) => {
    const inner = groups.get(name)
    return inner === undefined ? name.split(' | ') : allNames(inner, groups)
  })
}

function alternatives(names: readonly string[]): string {
  return names.map((name) => `${name.replaceAll('.', String.raw`\.`)};`).join('|')
}

function isEvents(name: string): boolean {
  return name.includes('.')
}
