import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** Names the sides on which a box has more than it shows, as words in `data-more`, so that its style can tell. */
export function useScrollEdges(box: RefObject<HTMLElement | null>, content: unknown): void {
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const see = () => (element.dataset['more'] = hiddenSides(element).join(' '))
    const watching = new ResizeObserver(see)
    for (const one of [element, ...element.children]) watching.observe(one)
    element.addEventListener('scroll', see, { passive: true })
    return () => {
      watching.disconnect()
      element.removeEventListener('scroll', see)
    }
  }, [content])
}

/** Allows a pixel for rounding. */
function hiddenSides(box: HTMLElement): readonly string[] {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = box
  const hidden = {
    left: scrollLeft,
    right: scrollWidth - clientWidth - scrollLeft,
    top: scrollTop,
    bottom: scrollHeight - clientHeight - scrollTop,
  }
  return Object.entries(hidden).flatMap(([side, pixels]) => (pixels > 1 ? [side] : []))
}
