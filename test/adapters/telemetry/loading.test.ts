import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { withoutPackage } from '../../../proof/support/without-package.ts'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { openTelemetry } from '../../../src/adapters/telemetry/index.ts'

test('OBS-01 a run without telemetry loads no module of OpenTelemetry', () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ resolve(specifier, context, next) { loaded.push(specifier); return next(specifier, context) } })
    const { createAgent } = await import('./src/index.ts')
    const { scripted } = await import('./src/adapters/providers/scripted.ts')
    const { text } = await createAgent({ name: 'a', model: scripted(['Hi.']) }).run('Hi')
    console.log(text, loaded.length > 50, loaded.filter((name) => name.includes('opentelemetry')).length)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  expect([stdout.trim(), stderr]).toEqual(['Hi. true 0', ''])
}, 20_000)

test('OBS-01 names the missing OpenTelemetry package, and refuses invalid options', async () => {
  const program = `const { openTelemetry } = await import('./src/adapters/telemetry/index.ts')
    await openTelemetry().catch(({ code, message }) => console.log(code, message))`
  expect(withoutPackage('@opentelemetry/api', program)).toMatch(/^package_missing .*npm install @opentelemetry\/api$/)
  await expect(openTelemetry({ contents: true } as never)).rejects.toThrow('Did you mean content?')
  expect(() => createAgent({ name: 'a', model: scripted([]), tracer: {} as never })).toThrow('tracer')
}, 20_000)
