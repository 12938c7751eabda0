import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { statelyInspector } from '../../../src/adapters/inspect/index.ts'
import { redactSecrets } from '../../../src/core/plugins/index.ts'
import { httpBroker } from '../../../src/adapters/brokers/http-broker.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { mcpToolset } from '../../../src/adapters/tools/mcp.ts'
import { openApiToolset } from '../../../src/adapters/tools/openapi.ts'
import { shellTool, unconfined } from '../../../src/adapters/tools/shell.ts'

const secret = 'hunter2-hunter2'
const source = { text: '{}' }
const url = 'https://x.example/mcp'

/** Secrets that callers without types pass in the wrong place or form. */
const mistaken: readonly [string, () => unknown][] = [
  ['a secret in the place of a list', () => redactSecrets(secret as never)],
  ['a secret in the place of one with a name', () => redactSecrets([secret] as never)],
  ['a secret of a broker that is not a list', () => httpBroker({ secrets: secret as never })],
  ['an endpoint with a password', () => httpBroker({ secrets: [], endpoints: `https://me:${secret}@x` as never })],
  ['a token in the place of credentials', () => openApiToolset({ source, auth: secret as never })],
  ['an odd kind of credentials', () => openApiToolset({ source, auth: { basic: secret } as never })],
  ['a header that is not a list of them', () => openApiToolset({ source, headers: secret as never })],
  ['a header of a server that is none', () => mcpToolset({ name: 'a', url, headers: `x-key: ${secret}` as never })],
  ['a token of a server in the place of a function', () => mcpToolset({ name: 'a', url, auth: secret as never })],
  ['a receiver with a password', () => statelyInspector({ url: `http://me:${secret}@far.example` })],
  ['a secret of an inspector', () => statelyInspector({ send: () => {}, secrets: secret as never })],
  [
    'an environment that is one line of it',
    () => shellTool({ root: '/', sandbox: unconfined(), environment: `KEY=${secret}` as never }),
  ],
  [
    'a value behind the name of a variable',
    () => shellTool({ root: '/', sandbox: unconfined(), variables: [`KEY=${secret}`] }),
  ],
  [
    'an instruction that is a list',
    () => createAgent({ name: 'a', model: scripted([]), instructions: [secret] as never }),
  ],
]

test.each(mistaken)('TOOL-03 refuses %s without repeating it', (_, work) => {
  expect(work).toThrow(/./)
  expect(work).not.toThrow(/hunter2/)
})
