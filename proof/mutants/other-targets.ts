import type { StateConfig } from '../../src/testing/charts/chart-config.ts'

type Path = readonly string[]

/**
 * Where a transition could have been drawn to by mistake: the siblings of its target and the states one level up,
 * which are the parent itself and its siblings. A state that leads straight into the same states is left out.
 */
export function otherTargets(
  config: StateConfig & { readonly id?: string },
  from: Path,
  target: string | undefined,
): readonly string[] {
  if (target === undefined) return []
  const root = `#${config.id ?? ''}`
  const path = pathOf(root, from, target)
  const parent = path.slice(0, -1)
  const oneUp = parent.length === 0 ? [] : childrenOf(config, parent.slice(0, -1))
  return [...childrenOf(config, parent), ...oneUp]
    .filter((other) => !isEqual(other, path) && !isSame(config, from, other, path))
    .map((other) => `${root}.${other.join('.')}`)
}

/** Keys from the root to a target: absolute, a child, or a sibling of the state it leaves. */
function pathOf(root: string, from: Path, target: string): Path {
  if (target.startsWith('#')) return target.slice(root.length + 1).split('.')
  if (target.startsWith('.')) return [...from, ...target.slice(1).split('.')]
  return [...from.slice(0, -1), ...target.split('.')]
}

function childrenOf(config: StateConfig, path: Path): readonly Path[] {
  return Object.keys(stateOf(config, path)?.states ?? {}).map((key) => [...path, key])
}

function stateOf(config: StateConfig, path: Path): StateConfig | undefined {
  return path.reduce<StateConfig | undefined>((state, key) => state?.states?.[key], config)
}

/** From outside, a compound state and its first child are one target. */
function isSame(config: StateConfig, from: Path, left: Path, right: Path): boolean {
  const isInside = (path: Path) => isEqual(from.slice(0, path.length), path)
  return !isInside(left) && !isInside(right) && isEqual(leafOf(config, left), leafOf(config, right))
}

function leafOf(config: StateConfig, path: Path): Path {
  const initial = stateOf(config, path)?.initial
  return initial === undefined ? path : leafOf(config, [...path, initial])
}

function isEqual(left: Path, right: Path): boolean {
  return left.join('.') === right.join('.')
}
