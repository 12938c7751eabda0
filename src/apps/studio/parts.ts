import { type ComponentChild, type ComponentProps, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { get, problemOf } from './client.ts'

/** Returns a button that is no submit button. */
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

/** Reads a path, if there is one, and again after each change of it. */
export function useRead<Value>(path: string | undefined): Read<Value> {
  const [read, setRead] = useState<Read<Value>>({})
  useEffect(() => {
    if (path === undefined) return undefined
    const ending = new AbortController()
    get<Value>(path, ending.signal).then(
      (value) => setRead({ value }),
      (error: unknown) => ending.signal.aborted || setRead((last) => ({ ...last, problem: problemOf(error) })),
    )
    return () => ending.abort()
  }, [path])
  return read
}
