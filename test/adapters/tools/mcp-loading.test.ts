import { expect, test } from 'vitest'
import { withoutPackage } from '../../../proof/support/without-package.ts'

const agent = `const { createAgent } = await import('./src/index.ts')
  const { scripted } = await import('./src/adapters/providers/scripted.ts')
  const agent = createAgent({ name: 'a', model: scripted(['Hello.']) })`

test.each([
  [
    'TOOL-04',
    '@modelcontextprotocol/client',
    `const { mcpToolset } = await import('./src/adapters/tools/mcp.ts')
     await mcpToolset({ name: 'x', url: 'http://127.0.0.1:1' }).tools().catch(({ code, message }) => console.log(code, message))`,
  ],
  [
    'TOOL-07',
    '@modelcontextprotocol/server',
    `${agent}
     const { serveMcp } = await import('./src/servers/mcp-server.ts')
     await serveMcp(agent).catch(({ code, message }) => console.log(code, message))`,
  ],
  [
    'TOOL-07',
    '@modelcontextprotocol/node',
    `${agent}
     const { serveMcp } = await import('./src/servers/mcp-server.ts')
     await serveMcp(agent, { transport: 'http' }).catch(({ code, message }) => console.log(code, message))`,
  ],
])(
  'TOOL-04 %s names %s if it is missing, and how to install it',
  (_, name, program) => {
    expect(withoutPackage(name, program)).toBe(
      `package_missing The package ${name} could not be loaded. It is an optional peer dependency: npm install ${name}`,
    )
  },
  20_000,
)
