import { registerHooks } from 'node:module'

/**
 * Loaded before an example: with `ENGINE=Restate`, each store that it opens is an object on the server whose ingress is
 * `INGRESS`; with `ENGINE='Durable Object'`, it is the storage of an object, played by Node's SQLite, because an example starts
 * processes and reads files, which no object can. The example itself stays as it is.
 */
if (process.env['ENGINE'] !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const isStore = /\/stores\/(sqlite\/sqlite|memory\/memory)-store\.ts$/.test(found.url)
      return isStore ? { ...found, url: new URL('chosen-store.ts', import.meta.url).href } : found
    },
  })
}
