import { type ComponentChild, type ComponentProps, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { get, problemOf } from './client.ts'

/** Returns a button that does not submit a form. */
export function button(text: string, onClick: () => void, others: ComponentProps<'button'> = {}): ComponentChild {
  return h('button', { type: 'button', onClick, ...others }, text)
}

/** Returns a problem as a paragraph that screen readers announce; nothing for `undefined`. */
export function alertOf(problem: string | undefined): ComponentChild {
  return problem === undefined ? undefined : h('p', { class: 'trouble', role: 'alert' }, problem)
}

/** Returns a listener that reads the text of its input. */
export function onText(take: (text: string) => void): (event: Event) => void {
  return ({ currentTarget }) => take((currentTarget as HTMLInputElement).value)
}

interface Read<Value> {
  /** The last value, also while another path is read. */
  readonly value?: Value
  readonly problem?: string
}

/** Milliseconds between looks at what changes, while the page is visible. */
const lookMs = 2_500

/**
 * Reads a path, if there is one, and again after each change of it. With `isLive`, also reads it repeatedly while the
 * page is visible.
 */
export function useRead<Value>(path: string | undefined, isLive = false): Read<Value> {
  const [read, setRead] = useState<Read<Value> & { readonly path?: string | undefined }>({})
  useEffect(() => {
    if (path === undefined) return undefined
    const ending = new AbortController()
    let last = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      try {
        if (!isLive || document.visibilityState !== 'hidden') {
          const value = await get<Value>(path, ending.signal)
          const text = JSON.stringify(value)
          if (text !== last) setRead({ path, value })
          last = text
        }
      } catch (error) {
        last = ''
        if (!ending.signal.aborted)
          setRead((before) => ({ ...(before.path === path ? before : {}), path, problem: problemOf(error) }))
      }
      // A slow studio is asked again only after it has answered.
      if (isLive && !ending.signal.aborted) timer = setTimeout(() => void look(), lookMs)
    }
    void look()
    return () => {
      ending.abort()
      clearTimeout(timer)
    }
  }, [path])
  return isLive && read.path !== path ? {} : read
}

/** A status as a coloured word; the word alone is sufficient. */
export function StatusMark({ status }: { readonly status: string }): ComponentChild {
  return h('span', { class: `status is-${status}` }, status)
}
