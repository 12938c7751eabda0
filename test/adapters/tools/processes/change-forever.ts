import { fileTools } from '../../../../src/adapters/tools/files.ts'
import { bubblewrap, shellTool } from '../../../../src/adapters/tools/shell.ts'
import { callTool } from '../call-tool.ts'

/** Uses one tool over and over until it is killed, and tells each time it begins. */
const [root = '', what = ''] = process.argv.slice(2)
const size = 1_000_000
const tools = [...fileTools({ root, write: 'allow' }), shellTool({ root, sandbox: bubblewrap(), run: 'allow' })]
const beat =
  'setsid bash -c "while true; do date +%N > beat; sleep 0.05; done" & until [ -s beat ]; do sleep 0.01; done; wait'

for (let turn = 0; ; turn++) {
  const [from, to] = turn % 2 === 0 ? ['a', 'b'] : ['b', 'a']
  if (what === 'shell') {
    void callTool(tools, 'shell', { command: beat }, {})
    await new Promise(() => setInterval(() => process.send?.('begun'), 50))
  }
  process.send?.('begun')
  if (what === 'write') await callTool(tools, 'write_file', { path: 'file', content: to.repeat(size) })
  const edits = [{ oldText: from.repeat(size), newText: to.repeat(size) }]
  if (what === 'edit') await callTool(tools, 'edit_file', { path: 'file', edits })
}
