import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs a program in which a package cannot be found, and gives what it printed. */
function without(packageName: string, program: string): readonly string[] {
  const text = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ resolve(specifier, context, next) {
      if (specifier === 'undici' || specifier === 'ipaddr.js') loaded.push(specifier)
      if (specifier === ${JSON.stringify(packageName)}) throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
      return next(specifier, context)
    } })
    ${program}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  expect(stderr).toBe('')
  return stdout.trimEnd().split('\n')
}

const document = JSON.stringify({ openapi: '3.1.0', servers: [{ url: 'https://x.example' }], paths: {} })

test.each(['undici', 'ipaddr.js'])('TOOL-05 says how to install %s if it is missing', (name) => {
  const program = `
    const { openApiToolset } = await import('./src/adapters/tools/openapi.ts')
    const toolset = openApiToolset({ source: { text: ${JSON.stringify(document)} }, onWarning: () => {} })
    try { await toolset.tools() } catch (error) { console.log(error.name + ' ' + error.code + ': ' + error.message) }`
  expect(without(name, program)).toEqual([
    `HttpFailure package_missing: The package ${name} could not be loaded. It is an optional peer dependency: npm install undici ipaddr.js`,
  ])
})

test('TOOL-05 loads neither package before a toolset is opened', () => {
  const program = `
    const { openApiToolset } = await import('./src/adapters/tools/openapi.ts')
    openApiToolset({ source: { text: '{}' } })
    console.log(JSON.stringify(loaded))`
  expect(without('none', program)).toEqual(['[]'])
})
