import { existsSync } from 'node:fs'
import { join, normalize } from 'node:path'

/** Files that npm always packs. */
const always = ['README.md', 'LICENSE', 'package.json']

/** Folders of pictures, and of charts that a program has to draw. */
const drawings = ['docs/pictures', 'docs/machines']

/**
 * Returns the broken links between pages: to a missing file, to a missing heading, or from a packed page to a page that
 * is not packed. Drawings may stay out of the package: they are drawn where the repository is read.
 */
export function checkLinks(
  pages: ReadonlyMap<string, string>,
  packed: readonly string[],
  exists: (path: string) => boolean = existsSync,
): readonly string[] {
  const isIn = (path: string, names: readonly string[]) =>
    names.some((name) => path === name || path.startsWith(`${name}/`))
  const left = packed.filter((name) => name.startsWith('!')).map((name) => name.slice(1))
  const isPacked = (path: string) => !isIn(path, left) && isIn(path, [...always, ...packed])
  return [...pages].flatMap(([page, text]) =>
    linksIn(text).flatMap((link) => {
      const [target = '', heading] = link.split('#')
      const path = target === '' ? page : normalize(join(page, '..', target))
      if (!exists(path)) return [`${page} links to ${link}, which does not exist`]
      if (isPacked(page) && !isPacked(path) && !isIn(path, drawings))
        return [`${page} is packed and links to ${link}, which is not`]
      const aim = pages.get(path)
      const isFound = heading === undefined || aim === undefined || headingsOf(aim).includes(heading)
      return isFound ? [] : [`${page} links to ${link}, a heading that is not there`]
    }),
  )
}

function linksIn(text: string): readonly string[] {
  const found = [...text.matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="(\S+\.svg)"/g)]
  return found.map(([, link = '', picture = link]) => picture).filter((link) => !/^\w+:/.test(link))
}

function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
