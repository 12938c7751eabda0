import type { Chart, State } from '../../proof/charts/read-chart.ts'

/**
 * A Mermaid flowchart of the compounds of a chart and the ways between them; empty where a chart has none. A compound
 * without another inside is one node. A compound with others inside is a frame around them and around what stands
 * beside them.
 */
export function drawOverview({ states }: Chart): string {
  const compounds = states.filter(({ path, kind }) => path !== '' && kind === 'compound')
  if (compounds.length === 0) return ''
  const frames = new Set(['', ...compounds.map(({ path }) => parentOf(path))])
  const arrows = states.flatMap((state) => state.arrows)
  const ways = arrows.flatMap(({ from, to }) => {
    const [start, end] = [nodeOf(from, frames), nodeOf(entered(to ?? from, states), frames)]
    // An arrow that leaves a frame for its own inside is left to the table: Mermaid cannot draw it.
    if (to === null || start === end || (start !== '' && isInside(end, start))) return []
    return [start === '' ? `anywhere -.-> ${idOf(end)}` : `${idOf(start)} --> ${idOf(end)}`]
  })
  return [
    'flowchart LR',
    ...drawFrame('', states, frames, '  '),
    `  start(( )) --> ${idOf(nodeOf(entered('', states), frames))}`,
    ...(ways.some((way) => way.startsWith('anywhere')) ? ['  anywhere([in every state])'] : []),
    ...[...new Set(ways)].map((way) => `  ${way}`),
  ].join('\n')
}

type Frames = ReadonlySet<string>

function drawFrame(path: string, states: readonly State[], frames: Frames, indent: string): readonly string[] {
  const inside = states.filter((state) => state.path !== '' && parentOf(state.path) === path)
  return inside.flatMap((state) => {
    const name = state.path.slice(path === '' ? 0 : path.length + 1)
    if (!frames.has(state.path))
      return [`${indent}${idOf(state.path)}${state.kind === 'final' ? `([${name}])` : `[${name}]`}`]
    const drawn = drawFrame(state.path, states, frames, `${indent}  `)
    return [`${indent}subgraph ${idOf(state.path)}[${name}]`, ...drawn, `${indent}end`]
  })
}

/** The node a state is folded into: the first on the way down that is no frame, or the state itself. */
function nodeOf(path: string, frames: Frames): string {
  const keys = path.split('.')
  const ways = keys.map((_, index) => keys.slice(0, index + 1).join('.'))
  return ways.find((way) => !frames.has(way)) ?? path
}

/** The innermost state that is entered with this one. */
function entered(path: string, states: readonly State[]): string {
  const initial = states.find((state) => state.path === path)?.initial ?? null
  return initial === null ? path : entered(initial, states)
}

function isInside(path: string, frame: string): boolean {
  return path.startsWith(`${frame}.`)
}

function parentOf(path: string): string {
  return path.split('.').slice(0, -1).join('.')
}

/** Mermaid reads a few plain words, `end` among them, as its own. */
function idOf(path: string): string {
  return `s_${path.replaceAll(/[^A-Za-z0-9]/g, '_')}`
}
