#!/usr/bin/env node
// No static imports and no new syntax: this file must run, and explain itself, on any Node.
const version = process.versions.node.split('.').map(Number)
const isAtLeast = (major, minor) => version[0] > major || (version[0] === major && version[1] >= minor)
const misuse = 2

if (isAtLeast(22, 16)) {
  void start()
} else {
  console.error(
    'statewright needs Node 22.16 or newer; this is ' + process.versions.node + '. Install a newer Node and try again.',
  )
  process.exitCode = misuse
}

/** Runs the source in a checkout, where a built program may be stale, and the built program everywhere else. */
function start() {
  const source = new URL('../src/apps/cli/main.ts', import.meta.url)
  const built = new URL('../dist/src/apps/cli/main.js', import.meta.url)
  const runsTypeScript = isAtLeast(23, 6) || (version[0] === 22 && version[1] >= 18)
  return Promise.all([import('node:fs'), import('node:module')]).then(([{ existsSync }, { enableCompileCache }]) => {
    enableCompileCache()
    if (existsSync(source) && runsTypeScript) return import(source.href)
    if (existsSync(built)) return import(built.href)
    console.error('statewright is not built. Run `npm run build`, or use Node 22.18 or newer.')
    process.exitCode = misuse
  })
}
