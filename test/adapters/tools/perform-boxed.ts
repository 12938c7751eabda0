import { bubblewrap, shellTool } from '../../../src/adapters/tools/shell.ts'
import { callTool } from './call-tool.ts'

/** Runs commands in a box with small limits, as a user whom they bind; prints the results. */
const [root = '', ...commands] = process.argv.slice(2)
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(65_534)
  process.setuid?.(65_534)
}
const sandbox = bubblewrap({ maxProcesses: 30, maxMemory: 200_000_000, maxFileSize: 1_000_000 })
const shell = shellTool({ root, sandbox, run: 'allow', timeoutMs: 4_000 })
const results: unknown[] = []
for (const command of commands) results.push(await callTool([shell], 'shell', { command }))
process.stdout.write(JSON.stringify(results))
