import type { getAdjacencyMap } from '@xstate/graph'
import { loadPackage } from '../../core/domain/load-package.ts'

/** The function that visits every state of a logic: `getAdjacencyMap` of `@xstate/graph`. */
export type WalkGraph = typeof getAdjacencyMap

/** Loads `@xstate/graph` on first use; if it is missing, the error explains how to install it. */
export async function loadGraph(): Promise<WalkGraph> {
  return (await loadPackage('@xstate/graph', () => import('@xstate/graph'))).getAdjacencyMap
}
