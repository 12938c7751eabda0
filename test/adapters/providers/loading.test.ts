import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const doors = [
  'ai-sdk',
  'anthropic',
  'azure',
  'bedrock',
  'from-environment',
  'google',
  'limiter',
  'openai',
  'registry',
  'vertex',
]

/** The packages a program has loaded once it has imported a file of ours. */
function packagesOf(path: string): readonly string[] {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({ load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
      if (name !== undefined) loaded.add(name)
      return next(url, context)
    } })
    await import(${JSON.stringify(path)})
    console.log(JSON.stringify([...loaded]))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

test.each(doors)('PRV-02 loads no provider package with the entry point %s', (door) => {
  expect(packagesOf(`./src/adapters/providers/${door}.ts`)).toEqual([])
})

test('PRV-02 loads no provider package with the core', () => {
  const packages = packagesOf('./src/index.ts')
  expect(packages).toContain('xstate')
  expect(packages.filter((name) => /openai|anthropic|aws|google|ai-sdk/.test(name))).toEqual([])
})
