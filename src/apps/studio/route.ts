import { useEffect, useState } from 'preact/hooks'
import { decodedPart } from '../../servers/studio/decoded-part.ts'

/** The displayed page. */
export type Route =
  | { readonly page: 'start' | 'new' | 'waiting' | 'store' }
  | { readonly page: 'run'; readonly runId: string; readonly version?: number }
  | { readonly page: 'charts'; readonly chart: string; readonly inside: string }

function readRoute(hash: string): Route {
  const [page, name = '', word, rest] = hash.replace(/^#\//, '').split('/').map(decodedPart)
  if (page === 'run' && name !== '') {
    const version = word === 'at' ? Number(rest) : Number.NaN
    return { page: 'run', runId: name, ...(Number.isInteger(version) ? { version } : {}) }
  }
  if (page === 'charts') return { page: 'charts', chart: name === '' ? 'run' : name, inside: word ?? '' }
  return { page: page === 'new' || page === 'waiting' || page === 'store' ? page : 'start' }
}

/** Returns the address of a run, or of one of its checkpoints. */
export function runAddress(runId: string, version?: number): string {
  return `#/run/${encodeURIComponent(runId)}${version === undefined ? '' : `/at/${version}`}`
}

/** Returns the address of a chart, or of one of its compound states. */
export function chartAddress(chart: string, inside = ''): string {
  return `#/charts/${encodeURIComponent(chart)}${inside === '' ? '' : `/${encodeURIComponent(inside)}`}`
}

/** Returns the current route, and renders again when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const changed = () => setHash(location.hash)
    addEventListener('hashchange', changed)
    // It may have changed since it was first read.
    changed()
    return () => removeEventListener('hashchange', changed)
  }, [])
  return readRoute(hash)
}
