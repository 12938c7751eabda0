import type { getAdjacencyMap } from '@xstate/graph'
import { missingPackage } from '../../core/domain/missing-package.ts'

/** The function that visits every state of a logic: `getAdjacencyMap` of `@xstate/graph`. */
export type WalkGraph = typeof getAdjacencyMap

/** Loads `@xstate/graph` on first use; if it is missing, the error explains how to install it. */
export async function loadGraph(): Promise<WalkGraph> {
  try {
    const graph = await import('@xstate/graph')
    return graph.getAdjacencyMap
  } catch (cause) {
    throw missingPackage('@xstate/graph', cause)
  }
}
