/** The imports of each file, including types. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Returns the import cycles to break so that none remains, each from its first file by name. */
export function findCircles(graph: ImportGraph): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = []
  const left = new Map([...graph].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  for (;;) {
    dropFree(left)
    const [file] = left.keys()
    if (file === undefined) return circles
    const circle = circleFrom(file, left)
    if (circle !== undefined) circles.push(circle)
    left.delete(file)
  }
}

/** Removes every file that imports none of the remaining files. */
function dropFree(left: Map<string, readonly string[]>): void {
  const importers = new Map<string, string[]>()
  const counts = new Map<string, number>()
  const free: string[] = []
  for (const [file, imports] of left) {
    const here = [...new Set(imports)].filter((other) => left.has(other))
    for (const other of here) importers.set(other, [...(importers.get(other) ?? []), file])
    counts.set(file, here.length)
    if (here.length === 0) free.push(file)
  }
  for (let file = free.pop(); file !== undefined; file = free.pop()) {
    left.delete(file)
    for (const importer of importers.get(file) ?? []) {
      const count = (counts.get(importer) ?? 0) - 1
      counts.set(importer, count)
      if (count === 0) free.push(importer)
    }
  }
}

/** Returns the shortest path from a file back to itself. */
function circleFrom(start: string, graph: ImportGraph): readonly string[] | undefined {
  const before = new Map<string, string>()
  const open = [start]
  for (const file of open) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return wayTo(file, before)
      if (before.has(next) || !graph.has(next)) continue
      before.set(next, file)
      open.push(next)
    }
  }
  return undefined
}

function wayTo(end: string, before: ReadonlyMap<string, string>): readonly string[] {
  const way: string[] = []
  for (let file: string | undefined = end; file !== undefined; file = before.get(file)) way.unshift(file)
  return way
}
