import { readFile } from 'node:fs/promises'

/** The script and the style of the page. */
export interface PageFiles {
  readonly script: string
  readonly style: string
}

/** Reads the page from the package, among the apps. If the page is not built, rejects with advice. */
export async function readPage(): Promise<PageFiles> {
  const read = (name: string) => readFile(new URL(`../../apps/studio/${name}`, import.meta.url), 'utf8')
  try {
    const [script, style] = await Promise.all([read('studio.js'), read('studio.css')])
    return { script, style }
  } catch (cause) {
    const wish =
      'In a checkout, run "npm run build" and take dist/src/apps/cli/main.js; else install the package again.'
    throw new Error(`The page of the studio is not built. ${wish}`, { cause })
  }
}

/** The page's only document. Everything else comes from the script, as text. */
export const pageDocument = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>statewright studio</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/studio.css"></head>
<body><div id="studio"><noscript>This page needs JavaScript.</noscript></div><script type="module" src="/studio.js"></script></body></html>
`

/** The page's security policy: nothing from other hosts, nothing inline, and no frame around it. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')
