import { options } from 'preact'
import { replaceInvisible } from '../../core/domain/text/invisible.ts'

/** The number of characters of a text that are shown before somebody asks for more. */
export const mostShown = 20_000

/** Returns a text with each invisible character written as its code, such as `\u{202E}`. */
export function shownText(text: string): string {
  return replaceInvisible(text, (one) =>
    one === '\n' || one === '\t' ? one : `\\u{${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  )
}

/** The properties of an element that are visible or audible text. */
const shownProps = ['children', 'title', 'alt', 'placeholder', 'aria-label', 'aria-valuetext']

/** Makes every element of the page show its texts as `shownText` does, so that no part of the page can forget it. */
export function showAllTexts(): void {
  const before = options.vnode
  options.vnode = (node) => {
    if (typeof node.type === 'string') {
      for (const [name, value] of Object.entries(node.props)) {
        if (shownProps.includes(name)) Reflect.set(node.props, name, shownChild(value))
      }
    }
    before?.(node)
  }
}

function shownChild(child: unknown): unknown {
  if (Array.isArray(child)) return child.map(shownChild)
  return typeof child === 'string' ? shownText(child) : child
}
